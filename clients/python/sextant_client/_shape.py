"""Type guards for values whose type is not known: an answer's JSON, or a program's objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Sequence

if TYPE_CHECKING:
    # Python 3.9 has no `typing.TypeGuard`, so type checkers read it from `typing_extensions`.
    from typing_extensions import TypeGuard


def is_dict(value: object) -> TypeGuard[Dict[Any, Any]]:
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[List[Any]]:
    return isinstance(value, list)


def is_row(value: object) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, (list, tuple))

"""Narrows the types of values from an answer's JSON or from a program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Sequence

if TYPE_CHECKING:
    # Python has it since 3.10, and type checkers bring it.
    from typing_extensions import TypeGuard


def is_dict(value: object) -> TypeGuard[Dict[Any, Any]]:
    """Whether a value is a dict, whatever it contains."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[List[Any]]:
    """Whether a value is a list, whatever it contains."""
    return isinstance(value, list)


def is_row(value: object) -> TypeGuard[Sequence[Any]]:
    """Whether a value is a list or a tuple, whatever it contains."""
    return isinstance(value, (list, tuple))

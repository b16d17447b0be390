"""Compiles a JSON Schema (2020-12) of common keywords to a function that checks values. An
unsupported keyword is refused, because a gate that ignored it might pass wrong answers. A check
recurses as deep as the schema, so a deep value cannot exhaust the stack.
"""

from __future__ import annotations

import math
import re
from typing import Any, Callable, Dict, List, Optional, Tuple

from ._shape import is_dict, is_list

Check = Callable[[Any], bool]
# Compiles what a schema sets for a keyword to a check; returns None for an invalid setting.
Keyword = Callable[[Any, str, Dict[str, Any]], Optional[Check]]

# Keywords that are ignored. `format` is ignored, because JSON Schema does not check it by default.
_NOTES = frozenset((
    "$schema", "$id", "$comment", "$defs", "definitions", "title", "description", "default", "examples", "deprecated",
    "readOnly", "writeOnly", "format",
))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_integer(value: Any) -> bool:
    return _is_number(value) and math.isfinite(value) and value == int(value)


_TYPES: Dict[str, Check] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": _is_integer,
    "number": _is_number,
    "string": lambda value: isinstance(value, str),
    "array": lambda value: is_list(value),
    "object": lambda value: is_dict(value),
}


def _is_same(own: Any, value: Any) -> bool:
    """Whether two JSON values are equal, in any order of fields. True is not 1."""
    if is_list(own):
        return (is_list(value) and len(own) == len(value)
                and all(_is_same(each, other) for each, other in zip(own, value)))
    if is_dict(own):
        return (is_dict(value) and len(own) == len(value)
                and all(name in value and _is_same(each, value[name]) for name, each in own.items()))
    return isinstance(own, bool) == isinstance(value, bool) and bool(own == value)


def _limit(of: Check, size_of: Callable[[Any], Any], is_within: Callable[[Any, Any], bool]) -> Keyword:
    """Makes a keyword that limits the size of values of one type; other values pass."""
    def keyword(bound: Any, path: str, schema: Dict[str, Any]) -> Optional[Check]:
        return (lambda value: not of(value) or is_within(size_of(value), bound)) if _is_number(bound) else None
    return keyword


def _at_least(size: Any, bound: Any) -> bool:
    return bool(size >= bound)


def _at_most(size: Any, bound: Any) -> bool:
    return bool(size <= bound)


def _type(operand: Any, path: str, schema: Dict[str, Any]) -> Optional[Check]:
    names: List[Any] = operand if is_list(operand) else [operand]
    if not all(isinstance(name, str) and name in _TYPES for name in names):
        return None
    return lambda value: any(_TYPES[name](value) for name in names)


def _enum(operand: Any, path: str, schema: Dict[str, Any]) -> Optional[Check]:
    return (lambda value: any(_is_same(each, value) for each in operand)) if is_list(operand) else None


def _const(operand: Any, path: str, schema: Dict[str, Any]) -> Optional[Check]:
    return lambda value: _is_same(operand, value)


def _pattern(operand: Any, path: str, schema: Dict[str, Any]) -> Optional[Check]:
    try:
        search = re.compile(operand).search if isinstance(operand, str) else None
    except re.error:
        return None
    return None if search is None else lambda value: not isinstance(value, str) or search(value) is not None


def _required(operand: Any, path: str, schema: Dict[str, Any]) -> Optional[Check]:
    if not is_list(operand):
        return None
    return lambda value: not is_dict(value) or all(name in value for name in operand)


def _properties(operand: Any, path: str, schema: Dict[str, Any]) -> Optional[Check]:
    if not is_dict(operand):
        return None
    checks = {name: compiled(each, f"{path}/{name}") for name, each in operand.items()}
    return lambda value: not is_dict(value) or all(
        check(value[name]) for name, check in checks.items() if name in value
    )


def _additional(operand: Any, path: str, schema: Dict[str, Any]) -> Optional[Check]:
    check = compiled(operand, path)
    named: Any = schema.get("properties") or {}
    return lambda value: not is_dict(value) or all(
        check(each) for name, each in value.items() if name not in named
    )


def _items(operand: Any, path: str, schema: Dict[str, Any]) -> Optional[Check]:
    check = compiled(operand, path)
    return lambda value: not is_list(value) or all(check(each) for each in value)


def _any_of(operand: Any, path: str, schema: Dict[str, Any]) -> Optional[Check]:
    if not is_list(operand):
        return None
    checks = [compiled(each, f"{path}/{i}") for i, each in enumerate(operand)]
    return lambda value: any(check(value) for check in checks)


def _size(value: Any) -> Any:
    return value


_KEYWORDS: Dict[str, Keyword] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "minimum": _limit(_is_number, _size, _at_least),
    "maximum": _limit(_is_number, _size, _at_most),
    "exclusiveMinimum": _limit(_is_number, _size, lambda size, bound: bool(size > bound)),
    "exclusiveMaximum": _limit(_is_number, _size, lambda size, bound: bool(size < bound)),
    "minLength": _limit(_TYPES["string"], len, _at_least),
    "maxLength": _limit(_TYPES["string"], len, _at_most),
    "minItems": _limit(_TYPES["array"], len, _at_least),
    "maxItems": _limit(_TYPES["array"], len, _at_most),
    "pattern": _pattern,
    "required": _required,
    "properties": _properties,
    "additionalProperties": _additional,
    "items": _items,
    "anyOf": _any_of,
}


def _checks(schema: Dict[str, Any], path: str) -> Tuple[Check, ...]:
    checks: List[Check] = []
    for name, operand in schema.items():
        if name in _NOTES:
            continue
        keyword = _KEYWORDS.get(name)
        check = None if keyword is None else keyword(operand, f"{path}/{name}", schema)
        if check is None:
            raise ValueError(
                f"gates.json: {path}/{name} is not read; give a validator, such as one of pydantic or jsonschema"
            )
        checks.append(check)
    return tuple(checks)


def compiled(schema: Any, path: str = "#") -> Check:
    """Compiles a schema to a check. Raises ValueError with the place of what cannot be read."""
    if isinstance(schema, bool):
        return lambda _: schema
    checks = _checks(schema if is_dict(schema) else {"": schema}, path)
    return lambda value: all(check(value) for check in checks)

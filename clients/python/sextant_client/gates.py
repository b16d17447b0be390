"""Gates: checks of an answer by a program.

`run_verified` takes a gate as its `verify`, and `score` takes a gate's result.

A gate tells the service how often the gate errs, as far as this is known. `pass_wrong` is the share
of wrong answers that pass, and `fail_right` the share of right answers that fail; both are from 0
to 0.5. `cost_usd` is the cost of one check in US dollars. An error rate or a cost out of its range
raises a ValueError.
"""

from __future__ import annotations

import json as _json
import os
import re
import signal
import subprocess
from typing import Any, Callable, Dict, List, Mapping, Optional, Pattern, Sequence, Union

from ._connection import bounded_s
from ._schema import compiled
from ._text import answer_text, field

# Maximum error rate of a gate.
_ERRORS_MAX = 0.5
_COST_MAX = 1e6

# A check's result: passed or failed, or None if the check gives no verdict.
Check = Callable[[Any], Optional[bool]]


class Gate:
    """A check of an answer or of another result. A gate returns whether the answer passes, or None
    if there is nothing to check, as in a tool call. A gate raises if its check cannot run.
    """

    def __init__(
        self,
        check: Check,
        *,
        pass_wrong: Optional[float] = None,
        fail_right: Optional[float] = None,
        cost_usd: Optional[float] = None,
    ) -> None:
        self._check = check
        # The field `verification` of a request: the check's kind, error rates and cost.
        self.verification: Dict[str, Any] = {"kind": "gate"}
        limits = (("pass_wrong", pass_wrong, _ERRORS_MAX), ("fail_right", fail_right, _ERRORS_MAX),
                  ("cost_usd", cost_usd, _COST_MAX))
        for name, value, most in limits:
            if value is not None and not 0 <= value <= most:
                raise ValueError(f"gates: {name} is no number from 0 to {most}")
            if value is not None:
                self.verification[name] = value

    def __call__(self, answer: Any) -> Optional[bool]:
        return self._check(answer)


def _of_text(check: Callable[[str], bool], errors: Mapping[str, Any]) -> Gate:
    """Makes a gate that checks an answer's text. By default `fail_right` is 0, because a text that
    fails a check of its form is no right answer.
    """
    def checked(answer: Any) -> Optional[bool]:
        text = answer_text(answer)
        return None if text is None else check(text)
    return Gate(checked, **{"fail_right": 0.0, **errors})


def _not_json(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _validator(schema: Any) -> Callable[[Any], bool]:
    model_validate = getattr(schema, "model_validate", None)
    if not callable(model_validate):
        check: Any = schema if callable(schema) else compiled(schema)
        return check

    def fits(value: Any) -> bool:
        try:
            model_validate(value)
        except ValueError:  # pydantic's ValidationError is one
            return False
        return True
    return fits


def json(schema: Any, **errors: float) -> Gate:
    """Passes if the answer is JSON that fits `schema`. `schema` is a JSON Schema with common
    keywords, a pydantic model, or a function that returns whether a value is right, such as
    `Draft202012Validator(schema).is_valid` of jsonschema. A schema checks only the form, so
    `pass_wrong` is the share of wrong answers that have the right form.
    """
    is_valid = _validator(schema)

    def check(text: str) -> bool:
        try:
            value = _json.loads(text, parse_constant=_not_json)
        except (ValueError, RecursionError):
            return False
        return is_valid(value) is True
    return _of_text(check, errors)


def matches(pattern: Union[str, Pattern[str]], **errors: float) -> Gate:
    """Passes if the pattern matches in the answer's text. A pattern that backtracks, such as
    `(a+)+$`, may run for ever on a long text. `all(max_length(n), matches(pattern))` runs no
    pattern on texts of over `n` characters.
    """
    search = re.compile(pattern).search
    return _of_text(lambda text: search(text) is not None, errors)


def max_length(most: int, **errors: float) -> Gate:
    """Passes if the answer's text has at most `most` characters."""
    return _of_text(lambda text: len(text) <= most, errors)


def exit_code(expected: int = 0, **errors: float) -> Gate:
    """Passes if a command that the caller has run ended with the exit code `expected`. The
    checked result is an exit code, or an object with the field `returncode`.
    """
    def check(result: Any) -> Optional[bool]:
        came = result if isinstance(result, int) else field(result, "returncode")
        return came == expected if isinstance(came, int) and not isinstance(came, bool) else None
    return Gate(check, **errors)


def _kill(child: "subprocess.Popen[bytes]") -> None:
    """Ends a command and, if the system has process groups, its children."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (AttributeError, OSError):
        child.kill()


def tests(
    command: Union[str, Sequence[str]],
    *,
    cwd: Optional[str] = None,
    env: Optional[Mapping[str, str]] = None,
    timeout_s: float = 300,
    **errors: float,
) -> Gate:
    """Passes if a command ends with exit code 0.

    A command that is a text is run by the shell, and a list of words without a shell. The command's
    input is the answer's text. If the command runs code of the answer, this code has the program's
    rights. A command that takes longer than `timeout_s` is killed and has failed.

    - env: all environment variables of the command; by default the program's, including API keys.
    """
    def check(answer: Any) -> bool:
        child = subprocess.Popen(
            command, cwd=cwd, env=env, shell=isinstance(command, str), start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        try:
            text = answer_text(answer) or ""
            child.communicate(text.encode("utf-8", "replace"), bounded_s(timeout_s))
        except subprocess.TimeoutExpired:
            return False
        finally:
            if child.poll() is None:
                _kill(child)
                child.wait()
        if child.returncode in (126, 127):
            raise RuntimeError(f"gates.tests: {command} could not be run ({child.returncode})")
        return child.returncode == 0
    return Gate(check, **errors)


def _combined(checks: Sequence[Check], last: bool) -> Gate:
    """Makes a gate that runs `checks` in turn and stops at the first check that returns `last`."""
    if not checks:
        raise ValueError("gates: there is no gate")
    known: List[Dict[str, Any]] = [getattr(check, "verification", {}) for check in checks]

    def errors_of(name: str, is_sum: bool) -> Optional[float]:
        """Returns an upper bound on the combined gate's error rate `name`, cut to 0.5; None if it is
        unknown.
        """
        shares = [each[name] for each in known if name in each]
        if is_sum:
            return min(sum(shares), _ERRORS_MAX) if len(shares) == len(known) else None
        return min(shares, default=None)

    def check(answer: Any) -> Optional[bool]:
        said: Optional[bool] = not last
        for each in checks:
            one = each(answer)
            if one is last:
                return last
            if one is None:
                said = None
        return said
    costs = sum(each.get("cost_usd", 0.0) for each in known)
    return Gate(check, pass_wrong=errors_of("pass_wrong", last), fail_right=errors_of("fail_right", not last),
                cost_usd=costs or None)


# `all` and `any` hide Python's functions of the same names in this module, which does not use them.
def all(*checks: Check) -> Gate:
    """Passes if all checks pass; runs the checks in turn until one check fails."""
    return _combined(checks, False)


def any(*checks: Check) -> Gate:
    """Passes if one of the checks passes; runs the checks in turn until one check passes."""
    return _combined(checks, True)

"""The one answer of the service after which no default runs by itself: the account's budget is used up."""

from __future__ import annotations


class BudgetExhausted(Exception):
    """The account's budget is used up until its period ends."""

    def __init__(self, detail: str, retry_after_seconds: float) -> None:
        super().__init__(detail, retry_after_seconds)
        # What the service says of the budget.
        self.detail = detail
        # How long until the period ends, >= 0.
        self.retry_after_seconds = retry_after_seconds

    def __str__(self) -> str:
        return f"budget exhausted: {self.detail}"

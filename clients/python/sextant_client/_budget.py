"""The error for a used-up budget."""

from __future__ import annotations


class BudgetExhausted(Exception):
    """An error that says that the account's budget is used up."""

    def __init__(self, detail: str, retry_after_seconds: float) -> None:
        super().__init__(detail, retry_after_seconds)
        # The service's message about the budget.
        self.detail = detail
        # Time until the budget's period ends, in seconds, >= 0.
        self.retry_after_seconds = retry_after_seconds

    def __str__(self) -> str:
        return f"budget exhausted: {self.detail}"

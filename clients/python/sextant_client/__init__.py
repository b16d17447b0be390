"""Sextant's client: which language model should run this task, and how did it go?"""

from ._budget import BudgetExhausted
from ._choice import Call, Choice
from ._outage import is_outage
from ._reports import DroppedReport
from ._usage import Usage, usage_of
from ._verify import Attempt, Verified
from .aio import AsyncChoice, AsyncSextant
from .client import Sextant

__all__ = [
    "Attempt",
    "AsyncChoice",
    "AsyncSextant",
    "BudgetExhausted",
    "Call",
    "Choice",
    "DroppedReport",
    "Sextant",
    "Usage",
    "Verified",
    "is_outage",
    "usage_of",
]
__version__ = "0.1.0"

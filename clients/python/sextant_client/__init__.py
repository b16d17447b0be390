"""Sextant's client: which language model should run this task, and how did it go?"""

from . import gates
from ._budget import BudgetExhausted
from ._choice import Call, Choice, Routed
from ._outage import fault_of, is_outage
from ._reports import DroppedReport
from ._usage import Usage, usage_of
from ._verify import Attempt, Verified
from .aio import AsyncChoice, AsyncSextant
from .client import Sextant
from .gates import Gate
from .judge import Judged, Judgement

__all__ = [
    "Attempt",
    "AsyncChoice",
    "AsyncSextant",
    "BudgetExhausted",
    "Call",
    "Choice",
    "DroppedReport",
    "Gate",
    "Judged",
    "Judgement",
    "Routed",
    "Sextant",
    "Usage",
    "Verified",
    "fault_of",
    "gates",
    "is_outage",
    "usage_of",
]
__version__ = "0.1.0"

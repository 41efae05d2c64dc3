"""A client of Tintype, the image service.

    async with Tintype("tcp://127.0.0.1:7411") as tintype:
        image = await tintype.load("https://example.org/photo.jpg", Resize(320, 320, fit="cover"), output=Output("webp"))
"""

from . import _generated
from ._batch import Batch, Item, Prefetch, PrefetchSummary
from ._client import Probe, Tintype, Upload
from ._errors import TintypeError
from ._events import Gap
from ._generated import *  # noqa: F403
from ._image import Image
from ._queue import DeadLetter, Queue
from ._signer import Signer
from ._task import Task

__all__ = [
    "Batch",
    "DeadLetter",
    "Gap",
    "Image",
    "Item",
    "Prefetch",
    "PrefetchSummary",
    "Probe",
    "Queue",
    "Signer",
    "Task",
    "Tintype",
    "TintypeError",
    "Upload",
]
__all__ += _generated.__all__

"""The errors of Gnomon's contract, one class a fact.

SQL raises them with a SQLSTATE of class GN and keeps the list (gnomon_data.error_codes()); this is its one mirror, and
a test compares the two. The docstring is the message where SQL gave none. What a code is in HTTP the web room knows.
"""

from typing import Final


class GnomonError(Exception):
    """The request was refused."""

    code = ""

    def __init__(
        self,
        message: str | None = None,
        *,
        detail: str | None = None,
        hint: str | None = None,
        pointer: str | None = None,
    ) -> None:
        """Carry what the database said; pointer is a JSON pointer to the field that is wrong. Empty counts as none."""
        self.message = message or str(self.__doc__)
        self.detail = detail or None
        self.hint = hint or None
        self.pointer = pointer or None
        super().__init__(self.message)


class ZoneUnknown(GnomonError):
    """No time zone has this name."""

    code = "GN010"


class CronInvalid(GnomonError):
    """The cron text cannot be read."""

    code = "GN011"


class RuleNeverFires(GnomonError):
    """The rule has no occurrence."""

    code = "GN012"


class LocalTimeInvalid(GnomonError):
    """The local time cannot be read."""

    code = "GN013"


class DateInvalid(GnomonError):
    """There is no such date."""

    code = "GN014"


class RuleInvalid(GnomonError):
    """The parts of the rule contradict each other."""

    code = "GN015"


class ScheduleNotFound(GnomonError):
    """No schedule has this id."""

    code = "GN020"


class VersionStale(GnomonError):
    """The schedule was changed meanwhile."""

    code = "GN021"


class DedupKeyReused(GnomonError):
    """The dedup key belongs to another request."""

    code = "GN022"


class InThePast(GnomonError):
    """The instant has passed."""

    code = "GN023"


class RequestInvalid(GnomonError):
    """The request cannot be read."""

    code = "GN024"


class HasEnded(GnomonError):
    """The schedule has fired or ended: there is nothing left to change."""

    code = "GN025"


class NoZoneKnown(GnomonError):
    """No time zone is known for this user."""

    code = "GN026"


class ChannelUnknown(GnomonError):
    """No channel has this name."""

    code = "GN027"


class NotAvailable(GnomonError):
    """This version cannot do that."""

    code = "GN028"


class OnItsWay(GnomonError):
    """The notification was fired ahead and is about to be handed over."""

    code = "GN029"


class DatabaseUnavailable(Exception):
    """The database cannot be reached."""

    hint = "Try again; what was asked may have been done, or not."

    def __init__(self, message: str | None = None) -> None:
        """Carry what PostgreSQL or its driver said."""
        super().__init__(message or self.__doc__)


class Contended(DatabaseUnavailable):
    """Another transaction was in the way."""

    hint = "Try again; nothing was done."


class RightMissing(Exception):
    """The database login of this process may not do this."""

    hint = "Grant it a role that may: gnomon_caller schedules, gnomon_worker fires too, gnomon_admin sets categories too."
    #: As of the driver's own error, which whoever has a remedy of his own looks for.
    sqlstate = "42501"

    def __init__(self, message: str | None = None) -> None:
        """Carry what PostgreSQL said."""
        super().__init__(message or self.__doc__)


class Overloaded(Exception):
    """More is asked for than can be done now."""

    hint = "Try again later; nothing was done."

    def __init__(self, lane: str, retry_after: int) -> None:
        """Carry the lane that is sent away, and after how many seconds it may come again."""
        super().__init__(f"{lane} creates are not taken just now")
        self.retry_after = retry_after


BY_CODE: Final = {kind.code: kind for kind in GnomonError.__subclasses__()}


def error_of(
    code: str,
    message: str | None = None,
    *,
    detail: str | None = None,
    hint: str | None = None,
    pointer: str | None = None,
) -> GnomonError:
    """The error of a SQLSTATE of class GN; a code that only a newer database knows becomes a plain GnomonError."""
    kind = BY_CODE.get(code, GnomonError)
    error = kind(message, detail=detail, hint=hint, pointer=pointer)
    error.code = code
    return error

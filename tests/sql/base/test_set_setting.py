"""A setting that no schedule could use is refused when it is written, not found out by the first schedule."""

import psycopg
import pytest


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("default_time_zone", "UTC+3", "GN010"),
        ("default_time_zone", "Europe/Berln", "GN010"),
        ("default_channels", "pusch,log", "GN027"),
        ("default_channels", "log,", "GN027"),
        ("default_channels", "log,log", "GN024"),
        ("has_webhook", "yes", "GN024"),
        ("notify", "true", "GN024"),
        ("fire_ahead", "PT11S", "GN024"),
        ("fire_ahead", "2 s", "GN024"),
        ("templates", "required", "GN024"),
        (None, "x", "GN024"),
    ],
)
def test_a_value_that_no_schedule_could_use_is_refused(
    connection: psycopg.Connection, name: str | None, value: str, code: str
) -> None:
    with pytest.raises(psycopg.Error) as refused:
        connection.execute("select gnomon.set_setting(%s, %s)", [name, value])
    assert refused.value.sqlstate == code
    assert connection.execute("select count(*) from gnomon_data.settings").fetchone() == (0,)


def test_a_setting_is_written_changed_and_removed(connection: psycopg.Connection) -> None:
    for value, read in [("Europe/Berlin", "Europe/Berlin"), ("Asia/Tokyo", "Asia/Tokyo"), ("", None), (None, None)]:
        connection.execute("select gnomon.set_setting('default_time_zone', %s)", [value])
        assert connection.execute("select gnomon_data.setting('default_time_zone')").fetchone() == (read,)

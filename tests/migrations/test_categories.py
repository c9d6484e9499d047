"""Categories through upgrades: seven to begin with, none overwritten; and below, what named one keeps what it had of it."""

import psycopg

from gnomon.database import migrate
from tests.support.given import given_schedule, one, rows, value


def test_an_upgrade_makes_them_once_and_a_downgrade_leaves_their_words(empty_database_url: str) -> None:
    migrate.upgrade(empty_database_url, "0002")
    with psycopg.connect(empty_database_url, autocommit=True) as connection:
        before = given_schedule(connection, lane="bulk")
        migrate.upgrade(empty_database_url)
        assert value(connection, "select count(*) from gnomon.categories()") == 7
        assert one(connection, "select category, lane from gnomon_data.schedules") == (None, 2)

        connection.execute("""select gnomon.set_category('otp', '{"channels": ["sms"], "expires_in": "PT5M"}')""")
        connection.execute("select gnomon.drop_category('social')")
        told = rows(connection, "select * from gnomon.categories()")
        named = given_schedule(connection, category="otp")
        own = given_schedule(connection, category="otp", channels=["push"], expires_in="PT1H")
        dated = given_schedule(connection, category="otp", expires_at="2036-01-01T00:00:00Z", schedule_at="PT2H")
        migrate.upgrade(empty_database_url)
        assert rows(connection, "select * from gnomon.categories()") == told

        migrate.downgrade(empty_database_url, "0002")
        kept = {
            row.schedule_id: (row.channels, row.expires, row.is_dated)
            for row in rows(
                connection,
                "select gnomon_data.id_text('sch', id) as schedule_id, channels, expires_for::text as expires,"
                " expires_at_utc is not null as is_dated from gnomon_data.schedules",
            )
        }
        assert kept == {
            before.schedule_id: (None, None, False),
            named.schedule_id: (["sms"], "00:05:00", False),
            own.schedule_id: (["push"], "01:00:00", False),
            dated.schedule_id: (["sms"], None, True),
        }

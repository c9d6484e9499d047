"""A hundred thousand in bulk at one instant, and what is critical at the same instant and while they are worked on."""

import time
from datetime import timedelta
from typing import Final

from tests.journeys.judge import judge, lateness
from tests.journeys.stage import Stage, note, poll, request, tasks, work

HERD: Final = 100_000

LATEST: Final = timedelta(seconds=1)

# One bulk schedule that was accepted, copied to as many users: what accepting them one by one would have written.
_COPY: Final = """
with model as (
    select s from gnomon_data.schedules as s where s.id = gnomon_data.id_of('sch', %(schedule_id)s)
), made as (
    select jsonb_populate_record(m.s, jsonb_build_object('user_id', u.user_id, 'shard', u.shard,
               'id', gnomon_data.new_id(u.shard, clock_timestamp()))) as c
      from model as m
     cross join (select 'bulk' || n as user_id, gnomon_data.shard_of('bulk' || n) as shard
                   from generate_series(2, %(count)s) as n) as u
), written as (
    insert into gnomon_data.schedules select (m.c).* from made as m returning shard, id, lane, fire_at_utc, stamp
)
insert into gnomon_data.timers (fire_at_utc, wanted_at_utc, stamp, subject_id, shard, lane, kind)
select w.fire_at_utc, w.fire_at_utc, w.stamp, w.id, w.shard, w.lane, 1 from written as w
"""


def test_critical_ones_are_not_late_behind_100_000_in_bulk(stage: Stage) -> None:
    herd_at = stage.now_utc() + timedelta(seconds=7.5)
    [model] = stage.accept([request("bulk1", herd_at, lane="bulk")])
    began = time.monotonic()
    stage.connection.execute(_COPY, {"schedule_id": model.schedule_id, "count": HERD})
    took = time.monotonic() - began
    stage.start(poll("p1"), work("w1"))
    critical = stage.accept([request(f"c{number}", herd_at, lane="critical") for number in range(50)])
    while stage.now_utc() < herd_at + timedelta(seconds=3):
        critical += stage.accept([request(f"c{len(critical)}", "PT0S", lane="critical")])
        time.sleep(0.05)
    stage.wait_for(tasks(critical), patience=timedelta(seconds=5))
    urgent = {one.schedule_id for one in critical}
    received = [line for line in stage.received() if line.schedule_id in urgent]
    bulk_count = len(stage.received()) - len(received)
    assert judge(received, tasks(critical)).is_clean
    latest = max(lateness(line) for line in received)
    note(
        f"{len(received)} critical came at most {latest} late beside {HERD} in bulk,"
        f" of which {bulk_count} had been sent by then (written in {took:.1f} s)"
    )
    assert bulk_count < HERD / 2, "the herd was still being worked on"
    assert latest <= LATEST

-- What a rule yields, as people see it: local_time and utc_offset are what the clock on the wall shows at at_utc, so
-- that at_utc = local_time - utc_offset always; a reading of 02:30 moved by a gap shows as 03:00 and kind gap.
create type gnomon.occurrence as (at_utc timestamptz, local_time timestamp, utc_offset interval, kind text);
comment on type gnomon.occurrence is
    'One occurrence: the instant, the wall clock and its offset at that instant; kind is exact, gap or overlap, null for an instant that no reading decided.';

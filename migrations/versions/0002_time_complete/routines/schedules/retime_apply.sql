-- One batch of a walk over the definitions, in the order of their ids; whoever calls again goes on behind it, also after a
-- crash. Nothing waits for a schedule that somebody holds: it is passed by, and the walk is made again until none was. A
-- schedule moves as one of a user who moves does: what was fired ahead and is not due comes back first, what is due fires
-- as it is, a stamp and a timer of its own make the old timer stale. Updated in place, never written anew: whoever waits
-- for the row must find it.
-- Only a walk that passed nothing by lets the fingerprints be those of today, so that nothing is forgotten.
create or replace function gnomon.retime_apply(at_most int default 500, time_zones text[] default null,
    out moved_count int, out passed_by_count int, out walked double precision, out is_done boolean)
language plpgsql volatile security definer set search_path = ''
as $$
declare
    now_utc timestamptz;
    place gnomon_data.retiming;
    piece record;
begin
    if at_most is null or at_most not between 1 and 10000 then
        perform gnomon_data.fail('GN024', 'at_most must be 1 to 10,000', pointer => '/at_most');
    end if;
    perform pg_current_xact_id();
    now_utc := gnomon_data.now_utc();
    moved_count := 0;
    passed_by_count := 0;
    is_done := false;
    time_zones := gnomon_data.zones_to_retime(time_zones);
    select r.* into place from gnomon_data.retiming as r for update skip locked;
    if place.one_row is null then
        return;
    end if;
    if place.time_zones <> time_zones then
        place := row(true, time_zones, 0, null, 0, place.generation);
    end if;
    walked := place.after_shard / 64.0;
    if cardinality(time_zones) > 0 then
        piece := gnomon_data.retime_piece(place, at_most, now_utc);
        moved_count := piece.moved_count;
        passed_by_count := piece.passed_by_count;
        place := piece.place;
        walked := place.after_shard / 64.0;
    end if;
    if cardinality(time_zones) = 0 or place.after_shard > 63 then
        is_done := place.passed_by_count = 0;
        place := row(true, time_zones, 0, null, 0, place.generation);
        if is_done then
            perform gnomon_data.take_fingerprints(time_zones, now_utc);
            perform gnomon_data.load_time_zones();
            place.time_zones := '{}';
        end if;
    end if;
    update gnomon_data.retiming as r set time_zones = place.time_zones, after_shard = place.after_shard, after_id = place.after_id,
           passed_by_count = place.passed_by_count;
end
$$;

comment on function gnomon.retime_apply(int, text[]) is
    'Moves the next pending schedules, at_most of them, to the instant of the zone rules of today, an event each; passed by: held by others, the walk comes again. walked: how far, 0 to 1. Call until is_done, in a new session. time_zones: else the zones that changed. GN010, GN024.';
revoke all on function gnomon.retime_apply(int, text[]) from public;
grant execute on function gnomon.retime_apply(int, text[]) to gnomon_worker;

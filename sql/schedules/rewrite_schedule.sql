-- Delete and insert rather than update: the row may change between recurrence and one-shot, which is another partition,
-- and rows move between partitions by delete and insert. An edit is rare beside a fire, which updates in place.
create or replace function gnomon_data.rewrite_schedule(
    old gnomon_data.schedules, d gnomon_data.draft, now_utc timestamptz, needs_timer boolean) returns void
language plpgsql volatile
as $$
declare
    new_row gnomon_data.schedules := old;
    stored record;
begin
    select p.params, p.payload_id into stored from gnomon_data.store_params(d.shard, old.id, d.params) as p;
    new_row.is_recurring := d.is_recurring;
    new_row.template_id := d.template_id;
    new_row.lane := d.lane;
    new_row.category := d.category;
    new_row.has_own_lane := d.has_own_lane;
    new_row.channels := d.channels;
    new_row.params := stored.params;
    new_row.payload_id := stored.payload_id;
    new_row.labels := d.labels;
    new_row.when_words := d.when_words;
    new_row.rule := d.rule;
    new_row.time_zone := d.time_zone;
    new_row.time_zone_source := d.time_zone_source;
    new_row.window_for := d.window_for;
    new_row.expires_at_utc := d.expires_at_utc;
    new_row.expires_for := d.expires_for;
    new_row.if_past := d.if_past;
    new_row.nominal_local := d.nominal_local;
    new_row.resolution := d.resolution;
    new_row.due_at_utc := d.due_at_utc;
    new_row.fire_at_utc := d.fire_at_utc;
    new_row.version := d.version;
    new_row.spared_by := gnomon_data.spared_after(old, d.user_id, d.template_id, d.labels);
    if needs_timer then
        new_row.stamp := gnomon_data.next_stamp(old.stamp, now_utc);
    end if;
    perform gnomon_data.replace_row(old, new_row, now_utc);
    perform gnomon_data.note_edit(old, new_row, now_utc);
end
$$;

comment on function gnomon_data.rewrite_schedule(gnomon_data.schedules, gnomon_data.draft, timestamptz, boolean) is
    'Writes a changed schedule, and a new timer when the instant or lane moved.';

-- A period is made standalone, with its leaves and index, and then attached: CREATE ... PARTITION OF would take an
-- exclusive lock on the parent, and one open caller then stops everybody's inserts (seen: 1.7 s). ATTACH does not.
-- The advisory lock makes two makers meet before either touches the catalogue.
create or replace function gnomon_data.make_period(parent text, day date) returns boolean
language plpgsql volatile set search_path = ''
as $$
<<here>>
declare
    from_utc constant timestamptz := day::timestamp at time zone 'UTC';
    period constant text := gnomon_data.period_name(parent, from_utc);
    until_utc constant timestamptz := (day + 1)::timestamp at time zone 'UTC';
    slice record;
begin
    if gnomon_data.is_attached(period) then
        return false;
    end if;
    perform pg_advisory_xact_lock(hashtextextended('gnomon make_period', 0));
    if gnomon_data.is_attached(period) then
        return false;
    end if;
    if to_regclass(format('gnomon_data.%I', period)) is not null then
        -- Detached and not dropped yet: it has the right shape and bounds, and what it holds is ours.
        null;
    elsif parent = 'timers' then
        -- Rows live briefly and leave whole pages; vacuum comes by a small share so that index pages are used again.
        execute format('create table gnomon_data.%I (like gnomon_data.timers including constraints) partition by range (shard)', period);
        for slice in select s.* from gnomon_data.shard_slices as s order by s.slice loop
            execute format('create table gnomon_data.%I partition of gnomon_data.%I for values from (%s) to (%s)
                with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)',
                period || '_' || slice.slice, period, slice.first_shard, slice.last_shard + 1);
        end loop;
        execute format('create index %I on gnomon_data.%I (shard, lane, fire_at_utc, subject_id)', period || '_due_by_shard_idx', period);
    else
        -- LIKE brings the constraints and indexes of the parent, which ATTACH then recognises. Logs are append-only.
        execute format('create table gnomon_data.%I (like gnomon_data.%I including constraints including indexes)
            with (fillfactor = 100, autovacuum_vacuum_insert_scale_factor = 0.2)', period, parent);
    end if;
    execute format('alter table gnomon_data.%I attach partition gnomon_data.%I for values from (%L) to (%L)',
        parent, period, gnomon_data.rfc3339(from_utc), gnomon_data.rfc3339(until_utc));
    insert into gnomon_data.periods (parent, period, from_utc, until_utc) values (parent, period, from_utc, until_utc)
    on conflict on constraint periods_pkey do nothing;
    return true;
end
$$;

comment on function gnomon_data.make_period(text, date) is
    'Makes and attaches the partition of one UTC day; false when it is there already. The caller moves the horizon for timers.';

-- Near periods stand without a hole between them: the horizon is a range, so today comes first and each next day only
-- after it. A clock that went back below the range starts a range of its own; what lies outside goes to timers_far.
create or replace function gnomon_data.extend_horizon(days_ahead int) returns int
language plpgsql volatile set search_path = ''
as $$
declare
    today constant date := (gnomon_data.now_utc() at time zone 'UTC')::date;
    day_start constant timestamptz := today::timestamp at time zone 'UTC';
    made int := 0;
begin
    for day in 0..days_ahead loop
        made := made + gnomon_data.make_period('timers', today + day)::int;
    end loop;
    insert into gnomon_data.horizon as h (near_from_utc, near_until_utc)
    values (day_start, (today + days_ahead + 1)::timestamp at time zone 'UTC')
    on conflict on constraint horizon_pkey do update
       set near_from_utc = case when h.near_until_utc < excluded.near_from_utc or h.near_from_utc > excluded.near_until_utc
                                then excluded.near_from_utc else least(h.near_from_utc, excluded.near_from_utc) end,
           near_until_utc = case when h.near_from_utc > excluded.near_until_utc
                                 then excluded.near_until_utc else greatest(h.near_until_utc, excluded.near_until_utc) end;
    return made;
end
$$;

comment on function gnomon_data.extend_horizon(int) is
    'Makes the periods of timers from today (UTC) on and tells the horizon; how many were made.';

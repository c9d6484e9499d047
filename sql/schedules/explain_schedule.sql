-- Everything that was decided for a schedule and why, for a person: short sentences first (summary), the data they rest on
-- below. Of one that is over, what ledger and events still hold.
create or replace function gnomon.explain_schedule(schedule_id text) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
    known_id constant uuid := gnomon_data.id_of('sch', schedule_id);
    home constant smallint := gnomon_data.shard_of_id(known_id);
    s gnomon_data.schedules;
    ended gnomon.schedule_details;
    sentence text;
    zone jsonb;
    next jsonb;
    misfire jsonb;
    summary text[];
    aside gnomon_data.set_aside;
begin
    select x.* into s from gnomon_data.schedules as x where x.shard = home and x.id = known_id;
    select x.* into aside from gnomon_data.set_aside as x where x.shard = home and x.id = known_id and x.stamp = s.stamp;
    if s.id is null then
        ended := gnomon_data.ended_details(home, known_id);
        zone := gnomon_data.explain_zone(ended.time_zone, ended.time_zone_source);
        summary := array[case when ended.status <> 'scheduled' then format('Over: %s.', ended.status)
                              else format('On its way: it fires at %s.', gnomon_data.rfc3339(ended.fire_at_utc)) end];
    else
        zone := gnomon_data.explain_zone(s.time_zone, s.time_zone_source);
        begin
            sentence := gnomon_data.rule_sentence(s.rule, s.time_zone);
            next := gnomon_data.explain_next(s);
        exception when others then
            -- A rule that cannot be read is set aside, as is said below; it must not hide the rest.
            if aside.id is null then
                raise;
            end if;
        end;
        summary := array[case when aside.id is not null then format(
                'Set aside at %s, when it was due at %s: the fire failed with %s (%s). Nothing fires until it is mended and gnomon.retry_set_aside is called.',
                gnomon_data.rfc3339(aside.set_aside_at_utc), gnomon_data.rfc3339(aside.due_at_utc), aside.error_text, aside.error_code) end,
            upper(left(sentence, 1)) || substr(sentence, 2) || '.', zone ->> 'why',
            case when s.category is not null then format('Its category is %s, of which it has %s.', s.category, gnomon_data.words_of_category(s)) end,
            case when s.paused_at_utc is not null then format('Paused since %s: nothing fires until it is resumed; what is due by then is a misfire.',
                gnomon_data.rfc3339(s.paused_at_utc))
                 when gnomon_data.is_paused(s) then 'Paused with all of its label, user or template: nothing fires until it is resumed.' end,
            case when gnomon_data.is_changing(s.user_id, s.template_id, s.labels, s.spared_by, s.fire_at_utc) then
                'Rescheduled with all of its label, user or template: what is told here is the old plan, by which nothing fires any more; the sweep changes it.' end,
            case when gnomon_data.pending_fire_at(s) < s.fire_at_utc then format('One is on its way: it fires at %s.',
                gnomon_data.rfc3339(gnomon_data.pending_fire_at(s))) end,
            case when aside.id is null then format(case when s.is_recurring then 'Next is %s.' else 'It fires at %s.' end, concat_ws(', ', next ->> 'fire_at',
                'due ' || case when s.window_for is not null then next ->> 'due_at' end, (next ->> 'local_time') || ' there')) end,
            next ->> 'why',
            case when not s.is_recurring then null
                 else case s.fired_count when 0 then 'It has not fired yet.' when 1 then 'It has fired once.'
                           else format('It has fired %s times.', s.fired_count) end end];
    end if;
    if gnomon_data.is_doomed(s.user_id, s.template_id, s.labels, s.spared_by) then
        summary := array['Cancelled with all of its label, user or template: nothing of it is handed over any more.'];
        next := null;
    end if;
    misfire := gnomon_data.explain_misfire(home, known_id, s.rule);
    summary := summary || case when (misfire -> 'missed_count')::bigint > 0 then
        format('%s of its occurrences were left out; under misfire it is told when and why.', misfire ->> 'missed_count') end;
    summary := summary || (
        select format('A delivery of it was set aside at %s: it failed with %s (%s). gnomon.retry_set_aside brings it back.',
                   gnomon_data.rfc3339(a.set_aside_at_utc), a.error_text, a.error_code)
          from gnomon_data.set_aside as a
         where a.shard = home and a.schedule_id = known_id and a.what = 'delivery' order by a.set_aside_at_utc desc limit 1);
    return jsonb_build_object('schedule_id', gnomon_data.id_text('sch', known_id),
        'status', gnomon_data.status_of(home, known_id, gnomon_data.now_utc()),
        'summary', to_jsonb(array_remove(summary, null)),
        'rule', case when s.id is not null then jsonb_build_object('sentence', sentence, 'request', s.when_words) end,
        'zone', zone, 'next', next, 'misfire', misfire,
        'fired_count', coalesce(s.fired_count, (select max(o.occurrence) from gnomon_data.occurrence_log as o
            where o.shard = home and o.schedule_id = known_id and o.outcome = 'fired')),
        'version', s.version, 'category', s.category,
        'history', gnomon_data.explain_history(home, known_id, coalesce(s.accepted_at_utc, gnomon_data.at_of_id(known_id))),
        'ledger', gnomon_data.explain_ends(home, known_id),
        'deliveries', gnomon_data.explain_deliveries(home, known_id));
end
$$;

comment on function gnomon.explain_schedule(text) is
    'Every decision taken for a schedule, in sentences and as data: rule, zone, offset of the day, gap or overlap, spread, misfires, history, what comes next. Also of one that is over. GN020 for an unknown id.';
revoke all on function gnomon.explain_schedule(text) from public;
grant execute on function gnomon.explain_schedule(text) to gnomon_caller, gnomon_reader;

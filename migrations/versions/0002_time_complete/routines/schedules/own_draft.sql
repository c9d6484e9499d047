create or replace function gnomon_data.own_draft(d gnomon_data.draft, n jsonb, ordinal int, at_utc timestamptz, now_utc timestamptz)
returns gnomon_data.draft
language plpgsql volatile
as $$
begin
    d.ordinal := own_draft.ordinal;
    d.user_id := n ->> 'user_id';
    d.shard := gnomon_data.shard_of(d.user_id);
    d.key := n ->> 'key';
    d.dedup_key := n ->> 'dedup_key';
    d.params := nullif(n -> 'params', '{}');
    d.labels := nullif(n -> 'labels', '{}');
    d.request_hash := gnomon_data.hash_of(n::text);
    d.when_words := gnomon_data.when_words(n);
    d.schedule_id := gnomon_data.new_id(d.shard, now_utc);
    if at_utc is not null then
        d.compiled := d.compiled || jsonb_build_object('at', gnomon_data.instant_text(at_utc));
        d.rule := d.compiled;
        d.due_at_utc := at_utc + make_interval(secs => coalesce((d.compiled -> 'offset')::float8, 0));
    end if;
    if not d.is_skipped then
        d.fire_at_utc := case when d.window_for is null then d.due_at_utc
                              else gnomon_data.spread(d.schedule_id, d.due_at_utc, d.window_for) end;
    end if;
    return d;
end
$$;

comment on function gnomon_data.own_draft(gnomon_data.draft, jsonb, int, timestamptz, timestamptz) is
    'The draft of one item, made of its shape''s and of its own words; at_utc for an instant that lies ahead.';

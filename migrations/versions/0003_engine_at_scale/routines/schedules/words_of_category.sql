-- For a person: what a schedule has of its category, as that stands today.
create or replace function gnomon_data.words_of_category(s gnomon_data.schedules) returns text
language sql stable
as $$
    select coalesce(nullif(concat_ws(', ',
        case when s.has_own_lane is null then format('the lane %s', gnomon_data.lane_name(s.lane)) end,
        case when s.channels is null then 'the channels ' || array_to_string(c.channels, ' and ') end,
        case when coalesce(s.expires_at_utc, s.due_at_utc + s.expires_for) is null and c.expires_for is not null then
            format('the expiry %s after it is due', gnomon_data.duration_text(c.expires_for)) end), ''), 'nothing')
      from gnomon_data.categories as c where c.name = s.category
$$;

comment on function gnomon_data.words_of_category(gnomon_data.schedules) is 'What a schedule has of its category, in words.';

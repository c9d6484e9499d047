create or replace function gnomon_data.channel_warnings(channels text[]) returns text[]
language sql stable
as $$
    select coalesce(array_agg(format('channel %s has no sender here and GNOMON_WEBHOOK_URL is not set: it goes to log', c.channel)
                              order by c.place), '{}')
      from unnest(coalesce(channels, gnomon_data.default_channels())) with ordinality as c (channel, place)
     where c.channel <> 'log' and gnomon_data.setting('has_webhook') is distinct from 'true'
$$;

comment on function gnomon_data.channel_warnings(text[]) is 'What the answer says of channels that nobody sends here.';

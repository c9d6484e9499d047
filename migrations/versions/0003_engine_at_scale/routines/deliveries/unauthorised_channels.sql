-- Within five minutes each process has tried once more, with a minute's pause between.
create or replace function gnomon.unauthorised_channels()
returns table (channel text, since_utc timestamptz, last_at_utc timestamptz, detail text)
language sql stable security definer set search_path = ''
as $$
    select u.channel, min(u.at_utc), max(u.at_utc), (array_agg(u.detail order by u.at_utc desc))[1]
      from gnomon_data.unauthorised as u
     group by u.channel having max(u.at_utc) > gnomon_data.now_utc() - interval '5 min'
     order by u.channel
$$;

comment on function gnomon.unauthorised_channels() is
    'Channels whose receiver did not accept our credentials within the last five minutes: since when (an hour back at most), and its last answer.';
revoke all on function gnomon.unauthorised_channels() from public;
grant execute on function gnomon.unauthorised_channels() to gnomon_reader, gnomon_worker;

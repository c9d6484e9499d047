-- How long a queue is beyond what is worth counting: from 256 of its pages, chosen by chance. What waits is spread over them as it
-- comes, so a million is told to within a tenth; pages that hold nothing any more count as what they are. A table of fewer pages is
-- counted.
create or replace function gnomon_data.sample_of_lane(lane smallint, now_utc timestamptz)
returns table (channel text, waiting_count bigint)
language plpgsql stable set search_path = ''
as $$
declare
    leaf constant text := 'deliveries_' || gnomon_data.lane_name(lane);
    pages constant bigint := pg_relation_size(format('gnomon_data.%I', leaf)::regclass) / current_setting('block_size')::int;
    percent constant double precision := least(100.0, 100.0 * 256 / greatest(pages, 1));
begin
    return query execute format($sql$
        select d.channel, round(count(*) * 100 / $2)::bigint
          from gnomon_data.%I as d tablesample system ($2) where d.ready_at_utc <= $1 group by d.channel
        $sql$, leaf)
    using now_utc, percent;
end
$$;

comment on function gnomon_data.sample_of_lane(smallint, timestamptz) is
    'About how many deliveries of a lane wait, by channel, from 256 of its pages.';

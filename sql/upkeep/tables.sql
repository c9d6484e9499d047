-- Upkeep that has to look at every row of a large table looks at a piece of it a call and goes on where it stopped: a call
-- that walked ten million keys to find none would cost a core for seconds, every minute.
create table gnomon_data.walks (
    walk text not null constraint walks_pkey primary key,
    after_shard smallint not null,
    after_kind smallint not null,
    after_key bytea not null
);
comment on table gnomon_data.walks is 'How far each walk of upkeep has come: the key of the last row it looked at.';

-- A retime is a walk too, over the definitions, and remembers what it is about: another set of zones begins it anew.
create table gnomon_data.retiming (
    one_row boolean not null default true constraint retiming_pkey primary key,
    time_zones text[] not null,
    after_shard smallint not null,
    after_id uuid,
    passed_by_count int not null,
    generation int not null,
    constraint retiming_has_one_row check (one_row)
);
comment on table gnomon_data.retiming is 'How far retime_apply has come with which zones, and how many it passed by because they were held.';
comment on column gnomon_data.retiming.generation is 'Raised when sessions are to be made anew: a session keeps what it once loaded of a zone.';

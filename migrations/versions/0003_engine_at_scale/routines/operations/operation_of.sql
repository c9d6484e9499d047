create or replace function gnomon_data.operation_of(operation_id uuid) returns gnomon.operation
language sql stable
as $$
    select row(gnomon_data.id_text('op', o.id), o.kind, o.scope, o.name, o.value,
               case when o.done_at_utc is null then 'running' else 'done' end, o.swept_count,
               case when o.done_at_utc is null then case when o.kind in ('cancel', 'reschedule') then (o.phase * 64 + o.after_shard) / 128.0
                    else (greatest(o.phase, 1) * 64 - 64 + o.after_shard) / 64.0 end else 1 end::double precision,
               o.created_at_utc, o.done_at_utc)::gnomon.operation
      from gnomon_data.operations as o where o.id = operation_of.operation_id
$$;

comment on function gnomon_data.operation_of(uuid) is 'An operation as it is told; null for an unknown id.';

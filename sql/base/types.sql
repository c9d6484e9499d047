-- An error as a value. Readers of a request return one instead of raising it, so that a call with 10,000 items
-- needs no subtransaction for each item; null means that all is well. pointer is a JSON pointer into the request.
create type gnomon_data.fault as (code text, message text, hint text, pointer text);
comment on type gnomon_data.fault is
    'An error as a value: SQLSTATE of class GN, message, hint, JSON pointer to the field. null = none.';

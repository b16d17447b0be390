-- Sums of records, which nothing reads: only the version before writes them, and the columns go one release later.
alter table outcome_record alter column taught set default 0, alter column successes set default 0,
  alter column quality_sum set default 0, alter column weight_sum set default 0,
  alter column cost_usd_sum set default 0, alter column cost_usd_count set default 0,
  alter column input_tokens_sum set default 0, alter column input_tokens_count set default 0,
  alter column output_tokens_sum set default 0, alter column output_tokens_count set default 0,
  alter column latency_ms_sum set default 0, alter column latency_ms_count set default 0;

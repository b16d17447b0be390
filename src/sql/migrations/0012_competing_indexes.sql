-- In a table that was never analysed another index of a lane or an account looks to the planner as good as the key, and
-- one row was looked for among all. No statement reads records by their id; those that read lessons by their time read
-- failures. The new index may be built by hand before, concurrently.
alter table outcome_record drop constraint outcome_record_account_id_record_id_key; -- contract: nothing reads by it
create index if not exists lesson_failures on lesson (account_id, lane, occurred_at desc) where lesson_type = 'failure';
drop index lesson_newest; -- contract: what the version before reads by it, the new index has

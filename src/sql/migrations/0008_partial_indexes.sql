-- Each of these indexes has a condition that every row meets and that its own statements alone say. In a table that was
-- never analysed all indexes of a lane look alike to the planner, which then looked for one row among all of its lane.
-- They may be built by hand before, concurrently.
create index if not exists observation_by_version on observation (account_id, lane, version) where version > 0;
create index if not exists vote_by_day on vote (account_id, lane, day) where votes > 0;
drop index observation_version; -- contract: without it a copy of the version before reads by the primary key, slower
drop index vote_day; -- contract: without it a copy of the version before reads by the primary key, slower

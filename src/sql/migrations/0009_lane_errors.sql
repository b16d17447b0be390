-- Squared errors of a lane's predictors, which only the version before reads: the columns go one release later. A lane
-- that begins meanwhile has what a lane began with.
alter table lane_numbers alter column cells_error set default 10, alter column mixed_error set default 9;

-- The roles of applications and of the service.

-- All databases of a server share its roles. A role may exist already, or another database may be making it now.
do $$
begin
  if not exists (select from pg_roles where rolname = 'sextant_app') then
    begin
      create role sextant_app nologin;
    exception when duplicate_object or unique_violation then null;
    end;
  end if;
  if not exists (select from pg_roles where rolname = 'sextant_service') then
    begin
      create role sextant_service nologin;
    exception when duplicate_object or unique_violation then null;
    end;
  end if;
  begin
    if not pg_has_role('sextant_service', 'sextant_app', 'member') then
      grant sextant_app to sextant_service;
    end if;
  -- Another database's migration grants the role at this moment.
  exception when unique_violation or internal_error then null;
  end;
  if not (select rolsuper from pg_roles where rolname = current_user) then
    begin
      execute format('grant sextant_app to %I', current_user);
    -- The owner of the tables may not grant the role, and an administrator has granted it.
    exception when insufficient_privilege then
      if not pg_has_role(current_user, 'sextant_app', 'member') then
        raise;
      end if;
    end;
  end if;
  execute format('grant usage on schema %I to sextant_app, sextant_service', current_schema());
end
$$;
grant select on sextant_migration to sextant_app, sextant_service;

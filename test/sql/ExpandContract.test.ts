import { assert, describe, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { migrationProblems, migrationsUnder } from "../../scripts/checks/migrations.ts"
import { migrations } from "../../src/sql/Migrations.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"

const directory = new URL("../../src/sql/migrations", import.meta.url).pathname

describe("migrations", () => {
  it("only add, so that copies of the version before go on working", () => {
    assert.deepStrictEqual([...migrationsUnder(directory)].flatMap(([name, text]) => migrationProblems(name, text)), [])
  })

  it("are each a file of the folder, numbered after the baseline in the order of the list", () => {
    const listed = migrations.slice(1).map(({ name }, i) => `${String(i + 2).padStart(4, "0")}_${name}.sql`)
    assert.deepStrictEqual([...migrationsUnder(directory).keys()], listed)
  })

  it("are read from their folder, where a bad one is found", () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, "0002_bad.sql"), "drop table lane;")
    const found = [...migrationsUnder(folder)].flatMap(([name, text]) => migrationProblems(name, text))
    assert.deepStrictEqual(found, ["0002_bad.sql: drops what the version before may use"])
  })

  for (
    const [statement, problem] of [
      ["drop table lane", "drops"],
      ["alter table lane drop column taught", "drops"],
      ["alter table lane rename column taught to told", "renames"],
      ["alter table lane alter column taught type int", "type"],
      ["alter table lane alter column taught set not null", "still write"],
      ["alter table lane add column a int not null", "must be given"],
      ["alter table lane add column a int default 0, add column b numeric(3, 1) not null", "must be given"],
      ["create index lane_taught on lane (taught)", "index on lane"],
      ["create or replace function a() returns int language sql as 'select 1'", "src/sql/functions"],
      ["revoke select on lane from sextant_app", "right"]
    ] as const
  ) {
    it(`may not say: ${statement}`, () => {
      assert.include(migrationProblems("9999_bad.sql", `${statement};`).join(), problem)
    })
  }

  it("may add columns with defaults, tables with indexes, and contract where that is explained", () => {
    const text = `alter table lane add column a int not null default 0, add column b text;
      create table t (a int not null);
      create index t_a on t (a);
      drop table old; -- contract: no version since 0.3 reads it`
    assert.deepStrictEqual(migrationProblems("9999_good.sql", text), [])
  })
})

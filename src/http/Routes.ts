/* Finds the methods of a path, and the route that answers a URL. */
import { FindMyWay } from "effect/http"
import { HttpApi, type HttpApiGroup } from "effect/http-api"

export interface Routes {
  readonly methods: ReadonlyMap<string, ReadonlySet<string>>
  /**
   * The path of the route that answers a URL. The router ignores doubled slashes, escapes and case. Code that
   * depends on the path therefore compares this path and never the URL.
   */
  readonly routeOf: (url: string) => string | undefined
}

const anyMethod = "GET"

/** A page has the method `GET` alone. */
export const routesOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  pages: ReadonlyArray<string>
): Routes => {
  const methods = new Map<string, Set<string>>(pages.map((path) => [path, new Set(["GET"])]))
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      methods.set(endpoint.path, (methods.get(endpoint.path) ?? new Set()).add(endpoint.method))
    }
  })
  const matcher = FindMyWay.make<string>()
  for (const path of methods.keys()) matcher.on(anyMethod, `/${path.slice(1)}`, path)
  // Most requests spell the path exactly as it is declared.
  return { methods, routeOf: (url) => methods.has(url) ? url : matcher.find(anyMethod, url)?.handler }
}

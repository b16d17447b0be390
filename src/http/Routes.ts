/* Finds the methods of a path, and the route that answers a URL. */
import { FindMyWay } from "effect/http"
import { HttpApi, type HttpApiGroup } from "effect/http-api"

export interface Routes {
  readonly methods: ReadonlyMap<string, ReadonlySet<string>>
  /**
   * The path of the route that answers a URL; undefined if no route does. The router ignores doubled slashes,
   * escapes and case, so code must compare a route's path and not the URL.
   */
  readonly routeOf: (url: string) => string | undefined
}

const anyMethod = "GET"

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
  return { methods, routeOf: (url) => methods.has(url) ? url : matcher.find(anyMethod, url)?.handler }
}

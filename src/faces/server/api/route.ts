import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { z } from 'zod/v4';
import { pageOf, type Verb } from '../../operations/index.js';
import type { Session } from '../../../session/index.js';
import type { Caller, Role } from '../access.js';
import type { Service } from '../service.js';
import { paged, sessionOf, type PageRequest } from './session-lists.js';
import { agentField, AgentQuery, PagedAgentQuery, SessionParams } from './requests.js';

/** The input and the answer of a route. Requests are checked against it, and the OpenAPI document is made from it. */
interface Shape {
  readonly summary: string;
  /** Least role that may use the route. Default: viewer for GET, operator for other methods. */
  readonly role?: Role;
  /** True if `server.concurrency` does not count the route, because it has another limit. */
  readonly isUncounted?: boolean;
  readonly params?: z.ZodType;
  /** Default on a route of a session: the agent path, which a body may override. */
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** The fields that the answer has at least. Absent if the route answers without content (204). */
  readonly answer?: z.ZodType;
}

/** A request after validation. */
interface Checked<S, Query = unknown> {
  readonly caller: Caller;
  readonly params: Parsed<S, 'params'>;
  readonly query: Parsed<S, 'query', Query>;
  readonly body: Parsed<S, 'body'>;
  readonly reply: FastifyReply;
}

interface CheckedOfSession<S> extends Checked<S, z.output<typeof AgentQuery>> {
  readonly session: Session;
}

type Parsed<S, Part extends keyof Shape, Otherwise = unknown> =
  S extends Readonly<Record<Part, infer Schema extends z.ZodType>> ? z.output<Schema> : Otherwise;

export function routesOf(app: FastifyInstance, service: Service, tag: string) {
  const add = (
    name: string,
    shape: Shape,
    answer: (request: FastifyRequest, reply: FastifyReply) => unknown,
  ) => {
    const [method, url] = name.split(' ') as [HTTPMethods, string];
    const { summary, role = method === 'GET' ? 'viewer' : 'operator', isUncounted = false, ...rest } = shape;
    const { query, answer: said, ...takes } = rest;
    app.route({
      method,
      url,
      config: { role, isUncounted },
      schema: {
        tags: [tag],
        summary,
        ...takes,
        ...(query && { querystring: query }),
        response: said ? { 200: said } : { 204: z.null() },
      },
      handler: async (request, reply) => {
        const value = await answer(request, reply);
        return said ? value : reply.code(204).send(null);
      },
    });
  };
  /** Adds a route of one session, `/sessions/:id…`. Answers `SESSION_UNKNOWN` if the caller may not see it. */
  const sessionRoute = <const S extends Shape>(
    name: string,
    shape: S,
    answer: (request: CheckedOfSession<S>) => unknown,
  ): void =>
    add(name, { params: SessionParams, query: AgentQuery, ...shape }, async (request, reply) =>
      answer({ ...checkedRequest(request, reply), session: await sessionOf(service, request) }),
    );
  return {
    sessionRoute,
    /** Adds a route, named as in docs/http-api.md: `GET /models/:name`. */
    route: <const S extends Shape>(name: string, shape: S, answer: (request: Checked<S>) => unknown): void =>
      add(name, shape, (request, reply) => answer(checkedRequest(request, reply))),
    /** Adds a verb as a route of a session. Input that is not in the path comes from the query or the body. */
    verbRoute(name: string, { summary, input, output, isOldestFirst, run }: Verb, role?: Role): void {
      const inPath = [...name.matchAll(/:(\w+)/g)].map(([, param]) => param!);
      const fields = Object.entries(input.shape).filter(([field]) => !inPath.includes(paramOf(field)));
      const rest = Object.fromEntries(fields.map(([field, kind]) => [snake(field), kind as z.ZodType]));
      const isList = output instanceof z.ZodArray;
      const inputs = name.startsWith('GET ')
        ? { query: (isList ? PagedAgentQuery : AgentQuery).extend(rest) }
        : fields.length > 0 && { body: z.strictObject({ ...rest, ...agentField }) };
      const shape: Shape = {
        summary,
        ...(role && { role }),
        params: z.object(Object.fromEntries(inPath.map((param) => [param, z.string().min(1)]))),
        ...(output && { answer: isList ? pageOf(output.element as z.ZodType) : output }),
        ...inputs,
      };
      sessionRoute(name, shape, async ({ session, params, query, body: said }) => {
        const all = { ...(query as object), ...(said as object), ...(params as object) };
        const given = Object.keys(input.shape).map((field) => [
          field,
          (all as Record<string, unknown>)[inPath.includes(paramOf(field)) ? paramOf(field) : snake(field)],
        ]);
        const value = await run(session, Object.fromEntries(given));
        const order = isOldestFirst ? 'oldest first' : 'newest first';
        return isList ? paged(value as readonly unknown[], query as unknown as PageRequest, order) : value;
      });
    },
  };
}

/** Names with underscores, as in all URLs and bodies. */
const snake = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The name of a field in a path: `:cid` is the id of the compaction. */
const paramOf = (field: string): string => (field === 'record' ? 'cid' : field);

/** Typed by the shape, because the validator has checked the request. */
function checkedRequest<S, Query>(request: FastifyRequest, reply: FastifyReply): Checked<S, Query> {
  const { caller, params, query, body } = request;
  return { caller, params, query, body, reply } as Checked<S, Query>;
}

import type { FastifyInstance } from 'fastify';
import { parseJson } from '../../transcript/index.js';

/** Reads JSON bodies as fastify does; a request to a model within one keeps its numbers as they are written. */
export function readBodies(app: FastifyInstance): void {
  const usual = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    // Typed for promises too; this one calls back.
    void usual(request, text as string, (error, body) => {
      if (!error && hasRequest(body)) body.request = (parseJson(text as string) as HasRequest).request;
      done(error, body);
    });
  });
}

interface HasRequest {
  request: unknown;
}

const hasRequest = (body: unknown): body is HasRequest =>
  typeof body === 'object' && body !== null && Object.hasOwn(body, 'request');

/** The service: the HTTP API and the drop-in proxy on one engine. */
export { serve, type Running, type ServeOptions } from './serve.js';

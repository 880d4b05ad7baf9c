import { afterEach, expect } from 'vitest';
import { frameMismatch, httpMismatch } from './api-description.ts';
import { Client } from './client.ts';
import { Socket } from './socket.ts';

/**
 * Checks every request and response in the tests against the machine-readable descriptions of the
 * API.
 */

const found = new Set<string>();

Client.onExchange = (exchange) => {
  const mismatch = httpMismatch(exchange);
  if (mismatch !== undefined) found.add(mismatch);
};
Socket.onFrame = (path, frame) => {
  const mismatch = frameMismatch(path, frame);
  if (mismatch !== undefined) found.add(mismatch);
};

afterEach(() => {
  const mismatches = [...found];
  found.clear();
  expect(mismatches, 'answers that /openapi.json and /asyncapi.json do not describe').toEqual([]);
});

import { createServer } from 'node:http';
import { listenOnLoopback } from '../daemon.ts';
import { SECRET } from './site.ts';

/** Starts an application for a reverse proxy on loopback. It accepts every path and method. */
export const startApplication = () =>
  listenOnLoopback(createServer((request, response) => response.end(`${SECRET}: ${request.url}\n`)));
export type Application = Awaited<ReturnType<typeof startApplication>>;

import type { Layout } from '../layout.ts';
import { apacheAliases, apacheGranted, apacheMisplaced, apacheProxied } from './apache.ts';
import {
  apacheCache,
  apacheForged,
  apacheHidden,
  apacheRefusing,
  apacheSecondAddress,
  nestedRules,
} from './apache-rules.ts';
import { haproxies, lighttpds } from './balancers.ts';
import { caches } from './caches.ts';
import { caddyFronts, handles } from './caddy.ts';
import { closedApaches, closedNginx, closedOthers } from './closed.ts';
import { addresses, locations, nginxForged, nginxFronts, nginxRefusing, rewrites } from './nginx.ts';
import { fallbacks, folderOffloads, fronts, onlyBehind, panelOffloads } from './panels.ts';
import { secures } from './secure.ts';

/** All layouts of the laboratory. */
export const layouts: readonly Layout[] = [
  ...apacheAliases,
  ...apacheProxied,
  ...apacheGranted,
  ...apacheMisplaced,
  ...panelOffloads,
  ...folderOffloads,
  ...onlyBehind,
  ...fallbacks,
  ...fronts,
  ...nestedRules,
  apacheCache,
  apacheForged,
  apacheSecondAddress,
  ...apacheHidden,
  ...apacheRefusing,
  ...locations,
  ...rewrites,
  nginxForged,
  ...addresses,
  ...nginxRefusing,
  ...nginxFronts,
  ...caches,
  ...handles,
  ...caddyFronts,
  ...haproxies,
  ...lighttpds,
  ...secures,
  ...closedApaches,
  ...closedNginx,
  ...closedOthers,
];

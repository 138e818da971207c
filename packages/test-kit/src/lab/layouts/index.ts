import type { Layout } from '../layout.ts';
import { apacheAliases, apacheGranted, apacheMisplaced, apacheProxied } from './apache.ts';
import { fallbacks, folderOffloads, fronts, onlyBehind, panelOffloads } from './panels.ts';

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
];

import type { Visit } from '@propusk/contract/records';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';

/** Formats a whole number. */
export const formatCount = new Intl.NumberFormat('ru').format;
const decimal = new Intl.NumberFormat('ru', { maximumFractionDigits: 1 });
const UNITS = [0, 1, 2, 3, 4] as const;

/** Formats a number of bytes in the largest decimal unit that fits. */
export function formatBytes(bytes: number): string {
  const unit = UNITS[Math.min(4, Math.floor(Math.log10(Math.max(1, bytes)) / 3))] ?? 0;
  return t.visits.bytes(decimal.format(bytes / 1000 ** unit), unit);
}

/** Formats milliseconds in seconds, minutes, or hours with minutes. */
export function formatDuration(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes === 0) return t.visits.seconds(Math.round(ms / 1000));
  return minutes < 60 ? t.visits.minutes(minutes) : t.visits.hours(Math.floor(minutes / 60), minutes % 60);
}

/** The label of a reason. A newer gateway may send a code that has no label here: then the label is the code. */
export const reasonLabel = (reason: string): string => t.visits.reasons[reason] ?? reason;

/** The requested host, with the port unless it is 80 or 443. For several hosts, or no host, a text replaces it. */
export function hostOf({ host, port }: Pick<Visit, 'host' | 'port'>): string {
  if (host === '*' || host === '') return nameOfHost(host);
  return port === 443 || port === 80 ? unicodeHost(host) : `${unicodeHost(host)}:${port}`;
}

/** The client's IP address as text. A record about lost records has no address, and a company may choose not to store any. */
export function addressOf({ address, kind }: Pick<Visit, 'address' | 'kind'>): string {
  return kind === 'loss' ? t.common.none : address || t.visits.notStored;
}

/** The label of a recorded host. The record has `*` for several hosts and an empty text for none. */
export function nameOfHost(host: string): string {
  if (host === '*') return t.visits.several;
  return host === '' ? t.common.none : unicodeHost(host);
}

/** The user's name as text. A company may choose not to keep the names of deleted users. */
export function personOf({ user, kind }: Pick<Visit, 'user' | 'kind'>): string {
  if (kind === 'loss') return t.common.none;
  return user === null ? t.visits.someone : user.name || t.visits.deleted;
}

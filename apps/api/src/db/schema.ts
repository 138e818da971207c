import type { AuditAction, AuditKind, AuditRow } from '@propusk/contract/audit';
import type { Verdict } from '@propusk/contract/protection';
import type { ProxyType } from '@propusk/contract/proxies';
import type { StoredAddresses } from '@propusk/contract/record-settings';
import type { Currency } from '@propusk/contract/reference/currencies';
import type { Role } from '@propusk/contract/roles';
import type { RequestKind, RequestState } from '@propusk/contract/tariff';
import type { CheckMessage, CheckStep } from '@propusk/phrases/checks';
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';

/** The tables, with the column names of SQL; the stores translate to wire names. Times are ISO strings, ids numbers. */
export interface Tables {
  platform: { only_row: Generated<boolean>; key_check: Buffer };
  companies: Row & {
    company_name: string;
    company_site: string;
    policy_version: Generated<number>;
    second_factor_required: Generated<boolean>;
    confirmed: Generated<boolean>;
    plan_id: number | null;
    plan_ends_at: string | null;
    trial_ends_at: string | null;
    phone: Generated<string>;
    paid_ends_at: string | null;
    paid_stopped: Generated<boolean>;
    record_addresses: Generated<StoredAddresses>;
    record_days: number | null;
    record_names: Generated<boolean>;
    time_zone: Generated<string>;
    support_until: string | null;
    visited: Generated<boolean>;
    first_steps_done: Generated<boolean>;
  };
  plans: Row & {
    name: string;
    price_amount: number | null;
    price_currency: Currency | null;
    people: number | null;
    sites: number | null;
    proxies: number | null;
    paid_proxies: boolean;
    all_sites: boolean;
    offered: boolean;
    trial: Generated<boolean>;
    standard: Generated<boolean>;
  };
  contact: {
    only_row: Generated<boolean>;
    name: Generated<string>;
    phone: Generated<string>;
    email: Generated<string>;
    telegram: Generated<string>;
    version: Generated<number>;
  };
  tariff_requests: {
    id: Generated<number>;
    company_id: number;
    kind: RequestKind;
    plan_id: number | null;
    email: string;
    text: string;
    state: Generated<RequestState>;
    reply: Generated<string>;
    created_at: Generated<string>;
  };
  plan_warnings: { company_id: number; what: string; ends_at: string; days: number };
  users: Row & {
    company_id: number | null;
    email: string;
    name: string;
    surname: string;
    password_hash: string;
    roles: Role[];
    gateway_epoch: Generated<number>;
    extension_seen_at: string | null;
    invited: Generated<boolean>;
    suspended_at: string | null;
    suspended_until: string | null;
  };
  second_factors: {
    user_id: number;
    secret_sealed: Buffer;
    begun_at: Generated<string>;
    confirmed_at: string | null;
    last_step: Generated<number>;
  };
  recovery_codes: { user_id: number; code_hash: Buffer };
  mail_links: {
    token_hash: Buffer;
    user_id: number;
    made_by: number | null;
    new_email: string | null;
    created_at: Generated<string>;
    expires_at: string;
  };
  mails: {
    id: string;
    sealed: Buffer;
    has_link: boolean;
    created_at: Generated<string>;
    expires_at: string;
    due_at: Generated<string>;
    run: string | null;
    tries: Generated<number>;
    failure: string | null;
  };
  company_invitations: {
    id: Generated<number>;
    token_hash: Buffer;
    email: string;
    made_by: number;
    created_at: Generated<string>;
    expires_at: string;
    state: Generated<'waiting' | 'used' | 'withdrawn'>;
  };
  idempotency_keys: {
    user_id: number;
    key: string;
    fingerprint: Buffer;
    reply: unknown;
    created_at: Generated<string>;
  };
  sessions: {
    token_hash: Buffer;
    user_id: number;
    client: Generated<'console' | 'extension'>;
    created_at: Generated<string>;
    expires_at: string;
    id: Generated<number>;
    last_seen_at: Generated<string>;
    address: string | null;
    agent: string | null;
    told_access: Generated<boolean>;
    reported_client: string | null;
    proxy_held_by: 'extension' | 'policy' | null;
  };
  pairing_codes: { token_hash: Buffer; session_hash: Buffer; user_id: number; expires_at: string };
  proxies: Row & {
    company_id: number | null;
    owner_id: GeneratedAlways<number>;
    type: ProxyType;
    direct: Generated<boolean>;
    all_sites: Generated<boolean>;
    host: string;
    port: number;
    username: Generated<string>;
    password_sealed: Buffer | null;
  };
  sites: Row & {
    company_id: number;
    address: string;
    shown_address: string;
    claim: number | null;
    start_paths: Generated<string[]>;
    open_paths: Generated<string[]>;
  };
  policies: Row & {
    company_id: number;
    name: string;
    description: string;
    proxy_id: number;
    proxy_owner_id: number;
    all_sites: Generated<boolean>;
    valid_from: string | null;
    valid_until: string | null;
    windows: ColumnType<[number, number][] | null, string | null, string | null>;
    zone: string | null;
    until_set_at: Generated<string>;
    timed: GeneratedAlways<boolean | null>;
  };
  policy_users: { company_id: number; policy_id: number; user_id: number };
  timed_members: {
    company_id: number;
    policy_id: number;
    user_id: number;
    ends_at: string | null;
    set_at: Generated<string>;
  };
  policy_sites: { company_id: number; policy_id: number; site_id: number };
  proxy_egress: {
    owner_id: number;
    proxy_id: number;
    address: string;
    learned_at: Generated<string>;
    confirmed_at: Generated<string>;
  };
  proxy_learning: {
    owner_id: number;
    proxy_id: number;
    tried_at: Generated<string>;
    succeeded_at: string | null;
    problem: CheckMessage | null;
    moved_at: string | null;
    placed_at: string | null;
  };
  site_checks: {
    company_id: number;
    site_id: number;
    state: 'waiting' | 'running' | 'done';
    run: string | null;
    asked: Generated<boolean>;
    begun_at: string | null;
    started_at: Generated<string>;
    finished_at: string | null;
    steps: Generated<CheckStep[]>;
    verdict: Verdict | null;
    meaning: CheckMessage | null;
    advice: CheckMessage | null;
    shown_verdict: Verdict | null;
    shown_at: string | null;
    was_protected: Generated<boolean>;
    drifted: Generated<boolean>;
    fingerprint: string | null;
    policy_version: number | null;
    next_at: string | null;
    sample: unknown;
    rules: Generated<number>;
  };
  vantages: {
    id: Generated<number>;
    company_id: number | null;
    name: string;
    code_hash: Buffer | null;
    code_expires_at: string | null;
    key_sealed: Buffer | null;
    count: Generated<number>;
    address: string | null;
    seen_at: string | null;
    created_at: Generated<string>;
  };
  vantage_tasks: {
    id: string;
    vantage_id: number;
    plan: string;
    groups: number;
    reports: Generated<Record<string, string>>;
    taken_at: string | null;
    expires_at: string;
  };
  lock_links: {
    token_hash: Buffer;
    company_id: number;
    site_id: number;
    made_by: number;
    created_at: Generated<string>;
    expires_at: string;
  };
  audit: {
    id: Generated<number>;
    at: Generated<string>;
    company_id: number | null;
    company: Generated<string>;
    actor_id: number;
    actor_name: string;
    actor_email: string;
    actor_roles: Role[];
    address: string;
    action: AuditAction;
    object_kind: AuditKind;
    object_id: number;
    object_name: string;
    changes: Generated<AuditRow['changes']>;
    words: GeneratedAlways<string>;
  };
}

interface Row {
  id: Generated<number>;
  version: Generated<number>;
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

type TableWith<Columns> = { [T in keyof Tables]: Tables[T] extends Columns ? T : never }[keyof Tables];
export type EntityTable = TableWith<Row>;
/** The tables whose number of rows is limited. `company_id` is null in rows of the platform, such as shared proxies. */
export type CountedTable = TableWith<Row & { company_id: number | null }>;

import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { parseArgs } from 'node:util';
import { Email, storedEmail } from '@propusk/contract/fields';
import { setupPhrases } from '@propusk/phrases/setup';
import { StartError } from '@propusk/processes/start-error';

/** No `internal`: every browser and every vantage would have to trust a CA of ours (docs/decisions/025-certificates.md). */
const modes = ['auto', 'files', 'off'] as const;
export type TlsMode = (typeof modes)[number];

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const options = {
  ...{ gateway: text, tls: text, cert: text, key: text, smtp: text, owner: text },
  address: { type: 'string', multiple: true, default: [] as string[] },
  wait: { type: 'string', default: '600' },
  ...{ invite: flag, yes: flag, undo: flag, help: flag },
} as const;

/**
 * Reads the arguments of `propusk setup`.
 * @throws StartError for the first invalid argument
 */
export function readOptions(args: string[]) {
  const { values, positionals } = parse(args);
  if (values.undo || values.help)
    return { ...values, domain: '', mail: '', tls: undefined, owner: '', waitMs: 0 };
  const [domain = '', typed = '', ...rest] = positionals;
  const mail = storedEmail(typed);
  const tls = modes.find((mode) => mode === values.tls);
  const gateway = values.gateway === undefined ? undefined : domainToASCII(values.gateway);
  const owner = storedEmail(values.owner ?? mail.replace('@', '+company@'));
  const hasFiles = values.cert !== undefined && values.key !== undefined;
  const say = setupPhrases.unfit;
  const isName = /^[^.]+(\.[^.]+)+$/.test(domainToASCII(domain)) && isIP(domain) === 0;
  const fault = [
    typed === '' && say.missing(),
    !isName && say.domain(domain),
    !Email.safeParse(mail).success && say.mail(typed),
    (!Email.safeParse(owner).success || owner.toLowerCase() === mail.toLowerCase()) && say.owner(),
    // A password in the arguments is visible to every user of the machine.
    values.smtp?.includes('@') && say.smtp(),
    gateway === '' && say.gateway(),
    values.tls !== undefined && tls === undefined && say.tls(),
    (tls === 'files' || values.key !== undefined || values.cert !== undefined) && !hasFiles && say.files(),
    !/^\d{1,5}$/.test(values.wait) && say.wait(),
    rest[0] !== undefined && say.extra(rest[0]),
  ].find((each) => typeof each === 'string');
  if (fault !== undefined) throw new StartError(fault);
  const waitMs = Number(values.wait) * 1_000;
  return { ...values, domain: domainToASCII(domain), mail, gateway, tls, owner, waitMs };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const kind = code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' ? 'option' : 'value';
    throw new StartError(setupPhrases.unfit[kind](/'(-[^\s'=]+)/.exec(message)?.[1] ?? ''));
  }
}

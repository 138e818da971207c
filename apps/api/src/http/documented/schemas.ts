import { LinkUse, Login, Registration, Token } from '@propusk/contract/auth';
import { Company, CompanyChange, CompanyInput } from '@propusk/contract/companies';
import { openApiExamples as sample } from '@propusk/phrases/openapi';
import { named } from './fields.ts';
import './extension.ts';
import './gateway.ts';
import './lock.ts';
import './audit.ts';
import './roles.ts';
import './second-factor.ts';
import './sessions.ts';
import { Named } from '@propusk/contract/fields';
import { health } from '@propusk/contract/health';
import { Policy, PolicyChange, PolicyInput } from '@propusk/contract/policies';
import { AdminProxyChange, Proxy, ProxyChange, ProxyInput } from '@propusk/contract/proxies';
import { Site, SiteChange, SiteInput } from '@propusk/contract/sites';
import { OwnerInput, OwnPassword, User, UserChange, UserInput } from '@propusk/contract/users';

// What OpenAPI says of schemas in words. Apart from the contract, so that the console does not carry it.

// Whoever asks here gets them filled.
export { everywhere, type FieldTexts, registered, told } from './fields.ts';

const dates = { createdAt: '2026-03-02T09:30:00.000Z', updatedAt: '2026-03-14T16:05:00.000Z' };
const policyName = { id: 7, name: sample.policy };
const personName = { id: 42, name: sample.fullName };

named(
  'Named',
  Named,
  "A policy, a person or a site as another entity's list names it.",
  { name: 'What people call it.' },
  policyName,
);
named(
  'User',
  User,
  'A person of a company (an agent), its owner, or a platform admin. The password is in no reply.',
  {
    name: 'Given name; may be empty.',
    surname: 'Family name; may be empty.',
    roles: ['Who the person is to the platform; several are possible.', { value: 'The role.' }],
    politics: 'The access policies that hold the person.',
    company: [
      'The company of the person; null for an admin of the platform who belongs to none.',
      {
        companyName: 'Its name.',
        companySite: 'Its site.',
        secondFactorRequired: 'Whether its people must have a second factor.',
      },
    ],
    secondFactor: 'Whether the person signs in with a second factor.',
  },
  {
    id: 42,
    name: sample.name,
    surname: sample.surname,
    email: 'anna@romashka.ru',
    roles: [{ value: 'USER' }],
    politics: [policyName],
    company: {
      id: 5,
      companyName: sample.company,
      companySite: 'romashka.ru',
      secondFactorRequired: false,
    },
    secondFactor: true,
    version: 3,
    ...dates,
  },
);
const person = {
  name: 'Given name.',
  surname: 'Family name.',
  email: 'The address that the person will sign in with.',
  password: 'The first password; the person may change it.',
  politics: 'Ids of the access policies that hold the person.',
};
named('UserInput', UserInput, 'A person to add to the own company.', person, {
  name: sample.name,
  surname: sample.surname,
  email: 'anna@romashka.ru',
  password: sample.password,
  politics: [7],
});
named(
  'OwnerInput',
  OwnerInput,
  'An owner to invite: the person sets the password by the link in the letter.',
  { name: person.name, surname: person.surname, email: person.email },
  { email: 'owner@romashka.ru', name: sample.name, surname: sample.surname },
);
named(
  'UserChange',
  UserChange,
  'What to change about a person; what is absent stays as it is.',
  {
    ...person,
    email: 'A new address to sign in with.',
    password: 'A new password; sessions and gateway tokens of the person end.',
  },
  { surname: sample.newSurname, politics: [7, 9] },
);
named(
  'OwnPassword',
  OwnPassword,
  'A new password of the caller.',
  { currentPassword: 'The password that is in force now.', password: 'The one that replaces it.' },
  { currentPassword: sample.password, password: sample.newPassword },
);

named(
  'Company',
  Company,
  'A company: the boundary that no reference crosses.',
  {
    companyName: 'Its name.',
    companySite: 'Its site.',
    domainsAllowed: ['Its protected sites.', { address: 'Host, with a port if one was named.' }],
    domainsBlock: [
      'Always empty: what is not allowed is refused.',
      { address: 'Host, with a port if one was named.' },
    ],
    proxy: ['Its own proxies.', { host: 'Host name or address.', port: 'Port, as digits.' }],
    users: ['Its people.', { name: 'Given name.', surname: 'Family name.' }],
    secondFactorRequired: 'Whether its people must have a second factor.',
  },
  {
    id: 5,
    companyName: sample.company,
    companySite: 'romashka.ru',
    domainsAllowed: [{ id: 11, address: 'crm.romashka.ru' }],
    domainsBlock: [],
    proxy: [{ id: 3, host: 'proxy.romashka.ru', port: '3128' }],
    users: [{ id: 42, name: sample.name, surname: sample.surname, email: 'anna@romashka.ru' }],
    secondFactorRequired: false,
    version: 3,
    ...dates,
  },
);
named(
  'CompanyInput',
  CompanyInput,
  'A company to add.',
  { companyName: 'Its name; an empty one becomes a copy of the site.', companySite: 'Its site.' },
  { companyName: sample.company, companySite: 'romashka.ru' },
);
named(
  'CompanyChange',
  CompanyChange,
  'What to change about a company; what is absent stays as it is.',
  {
    companyName: 'A new name.',
    companySite: 'A new site.',
    secondFactorRequired: 'Whether its people may do nothing before they have a second factor.',
  },
  { companyName: sample.renamedCompany },
);

const settings = [
  'What the proxy is for.',
  {
    type: 'Whose it is.',
    allSites: 'Whether policies on this proxy may open every site, not only those they name.',
  },
] as const;
named(
  'Proxy',
  Proxy,
  'A way out to the sites. The password is in no reply, for no role.',
  {
    host: 'Host name or address.',
    port: 'Port, as digits.',
    username: 'Name that the proxy is told.',
    direct: "The platform's gateway itself: traffic leaves from it, not through another proxy.",
    settings,
    company: [
      "The company whose it is; null for the platform's own.",
      { companyName: 'Its name.', companySite: 'Its site.' },
    ],
  },
  {
    id: 3,
    host: 'proxy.romashka.ru',
    port: '3128',
    username: 'romashka',
    direct: false,
    settings: { type: 'users', allSites: false },
    company: { companyName: sample.company, companySite: 'romashka.ru' },
    version: 3,
    ...dates,
  },
);
const upstream = {
  host: 'Host name or address, 4 characters or more.',
  port: 'A whole number, as a number or as digits.',
  username: 'Name that the proxy is told; without a colon.',
  password: 'Stored sealed, and told in no reply.',
};
named('ProxyInput', ProxyInput, 'A proxy to add.', upstream, {
  host: 'proxy.romashka.ru',
  port: '3128',
  username: 'romashka',
  password: sample.proxyPassword,
});
named(
  'ProxyChange',
  ProxyChange,
  'What to change about a proxy; what is absent stays as it is, the password above all.',
  upstream,
  { host: 'proxy2.romashka.ru', port: 8080 },
);
named(
  'AdminProxyChange',
  AdminProxyChange,
  'What an admin changes about any proxy; what is absent stays as it is.',
  { ...upstream, settings },
  { settings: { type: 'payment', allSites: true } },
);

named(
  'Site',
  Site,
  'A protected site (on the wire: allowed domain).',
  {
    address: 'Host in lower case and punycode, with a port if one was named.',
    politics: 'The access policies that open it.',
    protection: 'What the last probe said; null before the first one, and for a plain USER.',
  },
  {
    id: 11,
    address: 'crm.romashka.ru',
    politics: [policyName],
    protection: { verdict: 'protected', checkedAt: '2026-03-14T16:05:00.000Z', drifted: false },
    version: 3,
    ...dates,
  },
);
const site = {
  address: 'What people paste, a whole URL too; the host is kept, and a port if one is named.',
  politics: 'Ids of the access policies that open it.',
};
named('SiteInput', SiteInput, 'A site to protect.', site, {
  address: 'https://crm.romashka.ru/login',
  politics: [7],
});
named('SiteChange', SiteChange, 'What to change about a site; what is absent stays as it is.', site, {
  politics: [7, 9],
});

named(
  'Policy',
  Policy,
  'An access policy (on the wire: politics): these people reach these sites through this proxy.',
  {
    name: 'What people call it.',
    description: 'What it is for.',
    allSites: 'Its people reach every public site, while its proxy has `settings.allSites`.',
    users: 'The people it holds; a plain USER is told of no one else.',
    sites: 'The sites it opens to them.',
    proxy: [
      'A list of one: the proxy that its people leave through.',
      {
        host: 'Host name or address.',
        direct: "The platform's gateway itself.",
        settings,
      },
    ],
  },
  {
    id: 7,
    name: sample.policy,
    description: sample.policyDescription,
    allSites: false,
    users: [personName],
    sites: [{ id: 11, name: 'crm.romashka.ru' }],
    proxy: [
      { id: 3, host: 'proxy.romashka.ru', direct: false, settings: { type: 'users', allSites: false } },
    ],
    version: 3,
    ...dates,
  },
);
const policy = {
  name: 'What people call it, 4 characters or more.',
  description: 'What it is for; an empty one becomes a copy of the name.',
  proxyId: 'Id of a proxy of the company or of the platform.',
  allSites: 'Whether its people reach every public site; the proxy must allow it.',
  users: 'Ids of the people it holds.',
  sites: 'Ids of the sites it opens to them.',
};
named('PolicyInput', PolicyInput, 'An access policy to add.', policy, {
  name: sample.policy,
  description: sample.policyDescription,
  proxyId: 3,
  allSites: false,
  users: [42],
});
named(
  'PolicyChange',
  PolicyChange,
  'What to change about an access policy; what is absent stays as it is.',
  { ...policy, description: 'What it is for.' },
  { users: [42, 43] },
);

named('Health', health.reply, 'The service is ready.', { status: 'The database answers.' }, { status: 'ok' });
named(
  'Login',
  Login,
  'What a person signs in with.',
  {
    client: '`extension` when the browser extension signs in; absent for the console.',
    password: 'The password of the account.',
    code: 'A code from the app, or a recovery code, where a second factor is on.',
  },
  { email: 'anna@romashka.ru', password: sample.password },
);
named(
  'Registration',
  Registration,
  'A new company and its owner.',
  {
    name: 'The name of the company once more.',
    ownerName: 'The given name of the owner.',
    companyName: 'The name of the company.',
    companySite: 'The site of the company.',
    email: 'The address that the owner will sign in with.',
    password: 'The password of the owner.',
  },
  {
    name: sample.company,
    ownerName: sample.ownerName,
    companyName: sample.company,
    companySite: 'romashka.ru',
    email: 'olga@romashka.ru',
    password: sample.password,
  },
);
named(
  'Token',
  Token,
  'A session.',
  { token: 'Sent as `Authorization: Bearer`; opaque, 256 bits, lives 30 days.' },
  { token: 'Vm9vb2YtdGhpcy1pcy1ub3QtYS1yZWFsLXRva2VuLi4' },
);
named(
  'LinkUse',
  LinkUse,
  'Exactly one of `{email}`, `{token, password}`, `{email, change: true, currentPassword}`, `{token}`.',
  {
    email: 'Where the link is sent: the account whose password is forgotten, or the new address.',
    change: 'true: the link is to change the email of the signed-in caller.',
    token: 'What the link in the mail holds.',
    password: 'The new password.',
    currentPassword: "The caller's password: only to change the email.",
  },
  { email: 'anna@romashka.ru' },
);

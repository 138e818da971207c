import { LinkUse, Login, Registration, Token } from '@propusk/contract/auth';
import { Company, CompanyChange, CompanyInput } from '@propusk/contract/companies';
import { openApiExamples as sample } from '@propusk/phrases/openapi';
import { named } from './fields.ts';
import './extension.ts';
import './gateway.ts';
import './lock.ts';
import './audit.ts';
import './mail.ts';
import './registration.ts';
import './roles.ts';
import './second-factor.ts';
import './sessions.ts';
import './vantages.ts';
import { Named } from '@propusk/contract/fields';
import { health } from '@propusk/contract/health';
import { User } from '@propusk/contract/me';
import { Policy, PolicyChange, PolicyInput } from '@propusk/contract/policies';
import { AdminProxyChange, Proxy, ProxyChange, ProxyInput } from '@propusk/contract/proxies';
import { Site, SiteChange, SiteInput } from '@propusk/contract/sites';
import { OwnPassword, UserChange, UserInput } from '@propusk/contract/users';

// OpenAPI texts of schemas. They are not in the contract, so that the console's bundle does not include them.

// An import from this file gets the registries after every schema has registered.
import { proofTexts } from './roles.ts';

export { everywhere, type FieldTexts, registered, schemaTexts } from './fields.ts';

const dates = { createdAt: '2026-03-02T09:30:00.000Z', updatedAt: '2026-03-14T16:05:00.000Z' };
const policyName = { id: 7, name: sample.policy };
const personName = { id: 42, name: sample.fullName };

named(
  'Named',
  Named,
  "A policy, a user or a site in another entity's list.",
  { name: 'The display name.' },
  policyName,
);
named(
  'User',
  User,
  'A user of a company (an agent), an owner of a company, or a platform admin. No reply contains the password.',
  {
    name: 'Given name; may be empty.',
    surname: 'Family name; may be empty.',
    roles: ['The roles of the user; several are possible.', { value: 'The role.' }],
    politics: 'The access policies of the user.',
    company: [
      'The company of the user; null for a platform admin without one.',
      {
        companyName: 'Its name.',
        companySite: 'Its site.',
        secondFactorRequired: 'Whether its users must have a second factor.',
        confirmed:
          'Whether the company is confirmed. The gateway refuses all users of an unconfirmed company.',
      },
    ],
    secondFactor: 'Whether the user signs in with a second factor.',
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
      confirmed: true,
    },
    secondFactor: true,
    version: 3,
    ...dates,
  },
);
const person = {
  name: 'Given name.',
  surname: 'Family name.',
  email: 'The address that the user will sign in with.',
  password: 'The first password; the user may change it.',
  politics: 'Ids of the access policies of the user.',
};
named('UserInput', UserInput, 'A user to create in the own company.', person, {
  name: sample.name,
  surname: sample.surname,
  email: 'anna@romashka.ru',
  password: sample.password,
  politics: [7],
});
named(
  'UserChange',
  UserChange,
  'Changes of a user; absent fields stay unchanged. An ADMIN proves a change of email or password.',
  {
    ...person,
    ...proofTexts,
    email: 'The new address to sign in with.',
    password: 'The new password; it ends the sessions and gateway tokens of the user.',
  },
  { surname: sample.newSurname, politics: [7, 9] },
);
named(
  'OwnPassword',
  OwnPassword,
  'A new password of the caller.',
  { currentPassword: 'The current password.', password: 'The new password.' },
  { currentPassword: sample.password, password: sample.newPassword },
);

named(
  'Company',
  Company,
  'A company, which is the tenant: no entity refers to an entity of another company.',
  {
    companyName: 'Its name.',
    companySite: 'Its site.',
    domainsAllowed: ['Its protected sites.', { address: 'Host, with a port if one was given.' }],
    domainsBlock: [
      'Always empty: every site that is not allowed is refused.',
      { address: 'Host, with a port if one was given.' },
    ],
    proxy: ['Its own proxies.', { host: 'Host name or address.', port: 'Port, as digits.' }],
    users: ['Its users.', { name: 'Given name.', surname: 'Family name.' }],
    secondFactorRequired: 'Whether its users must have a second factor.',
    confirmed: 'Whether the company is confirmed. The gateway refuses all users of an unconfirmed company.',
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
    confirmed: true,
    version: 3,
    ...dates,
  },
);
named(
  'CompanyInput',
  CompanyInput,
  'A company to create.',
  { companyName: 'Its name; when empty, a copy of the site.', companySite: 'Its site.' },
  { companyName: sample.company, companySite: 'romashka.ru' },
);
named(
  'CompanyChange',
  CompanyChange,
  'Changes of a company; absent fields stay unchanged.',
  {
    companyName: 'The new name.',
    companySite: 'The new site.',
    secondFactorRequired: 'Whether its users must have a second factor before they may make other calls.',
  },
  { companyName: sample.renamedCompany },
);

const settings = [
  'The settings of the proxy.',
  {
    type: 'The type of the proxy.',
    allSites: 'Whether policies with this proxy may open every site instead of named ones.',
  },
] as const;
named(
  'Proxy',
  Proxy,
  'An upstream proxy. No reply contains the password, whatever the role.',
  {
    host: 'Host name or address.',
    port: 'Port, as digits.',
    username: 'The user name for the proxy.',
    direct: "Whether it is the platform's gateway itself: traffic leaves from it, not through another proxy.",
    settings,
    company: [
      "The company that owns it; null for the platform's own.",
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
  username: 'The user name for the proxy, without a colon.',
  password: 'The password for the proxy. It is stored encrypted, and no reply contains it.',
};
named('ProxyInput', ProxyInput, 'A proxy to create.', upstream, {
  host: 'proxy.romashka.ru',
  port: '3128',
  username: 'romashka',
  password: sample.proxyPassword,
});
named(
  'ProxyChange',
  ProxyChange,
  'Changes of a proxy; absent fields, the password included, stay unchanged.',
  upstream,
  { host: 'proxy2.romashka.ru', port: 8080 },
);
named(
  'AdminProxyChange',
  AdminProxyChange,
  'Changes of any proxy by an admin; absent fields stay unchanged.',
  { ...upstream, settings },
  { settings: { type: 'payment', allSites: true } },
);

named(
  'Site',
  Site,
  'A protected site (on the wire: allowed domain).',
  {
    address: 'Host in lower case and punycode, with a port if one was given.',
    politics: 'The access policies that open it.',
    protection: 'The result of the last probe; null before the first one, and for a caller who is only USER.',
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
  address: 'A host or a whole URL; only the host is stored, with a port if one is given.',
  politics: 'Ids of the access policies that open it.',
};
named('SiteInput', SiteInput, 'A site to protect.', site, {
  address: 'https://crm.romashka.ru/login',
  politics: [7],
});
named('SiteChange', SiteChange, 'Changes of a site; absent fields stay unchanged.', site, {
  politics: [7, 9],
});

named(
  'Policy',
  Policy,
  'An access policy (on the wire: politics): its users reach its sites through its proxy.',
  {
    name: 'The display name.',
    description: 'The purpose of the policy.',
    allSites: 'Its users reach every public site, while its proxy has `settings.allSites`.',
    users: 'Its users; a caller who is only USER sees no other users.',
    sites: 'The sites that it opens.',
    proxy: [
      'A list of one: the proxy that carries the traffic.',
      {
        host: 'Host name or address.',
        direct: "Whether it is the platform's gateway itself.",
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
  name: 'The display name, 4 characters or more.',
  description: 'The purpose of the policy; when empty, a copy of the name.',
  proxyId: 'Id of a proxy of the company or of the platform.',
  allSites: 'Whether its users reach every public site; the proxy must allow it.',
  users: 'Ids of its users.',
  sites: 'Ids of the sites that it opens.',
};
named('PolicyInput', PolicyInput, 'An access policy to create.', policy, {
  name: sample.policy,
  description: sample.policyDescription,
  proxyId: 3,
  allSites: false,
  users: [42],
});
named(
  'PolicyChange',
  PolicyChange,
  'Changes of an access policy; absent fields stay unchanged.',
  { ...policy, description: 'The purpose of the policy.' },
  { users: [42, 43] },
);

named('Health', health.reply, 'The service is ready.', { status: 'The database answers.' }, { status: 'ok' });
named(
  'Login',
  Login,
  'The credentials of a user.',
  {
    client: '`extension` when the browser extension signs in; absent for the console.',
    password: 'The password of the account.',
    code: 'A code from the app, or a recovery code, when the second factor is on.',
  },
  { email: 'anna@romashka.ru', password: sample.password },
);
named(
  'Registration',
  Registration,
  'A new company and its owner.',
  {
    name: 'The name of the company again.',
    ownerName: 'The given name of the owner.',
    companyName: 'The name of the company.',
    companySite: 'The site of the company.',
    email: 'The address that the owner will sign in with.',
    password: 'The password of the owner.',
    invitation: "The token of an ADMIN's invitation. It works only with the invited `email`.",
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
  { token: 'The bearer token for `Authorization`; opaque, 256 bits, valid for 30 days.' },
  { token: 'Vm9vb2YtdGhpcy1pcy1ub3QtYS1yZWFsLXRva2VuLi4' },
);
named(
  'LinkUse',
  LinkUse,
  'Exactly one of `{email}`, `{token, password}`, `{email, change: true, currentPassword}`, `{token}`.',
  {
    email: 'The recipient of the link: the account with the forgotten password, or the new address.',
    change: 'true requests a link that changes the email of the signed-in caller.',
    token: 'The token of the link.',
    password: 'The new password.',
    currentPassword: "The caller's password; only for a change of the email.",
  },
  { email: 'anna@romashka.ru' },
);

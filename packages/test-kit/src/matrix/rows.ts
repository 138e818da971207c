import { factorTable } from './factor-rows.ts';
import { lossTable } from './loss-rows.ts';
import { roleTable } from './role-rows.ts';
import { vantageTable } from './vantage-rows.ts';
import { type Caller, callers } from './world.ts';

/** One line of the matrix: a call with a target, and the expected result for each caller. */
export interface Row {
  /** Method and path, as in the contract. */
  readonly call: string;
  readonly target: Target;
  readonly expected: Readonly<Record<Caller, Expected>>;
}

/** The target of a call: the object in the path, and the object in the body. */
export interface Target {
  readonly text: string;
  readonly path: string;
  /** The field of the body that the target concerns; undefined for the default body. */
  readonly field: string | undefined;
  readonly which: string | undefined;
}

export interface Expected {
  readonly status: number;
  /** The error codes that pass; undefined accepts only the usual code of the status. */
  readonly codes: readonly string[] | undefined;
}

/**
 * The permission matrix, written by hand from the specification and answers.md. It must not be computed from the contract's
 * `access`, because it must find wrong declarations there.
 *
 * Callers: anon sends no token, dead the token of an ended session, gate the gateways' key. bare is a user of the first
 * company without roles, both is USER and CREATOR at once, ADMIN is a platform admin without a company. USER2 and CREATOR2
 * belong to the second company; their targets are relative to it.
 *
 * Targets: own is an object of the caller's company that the caller may see (for callers without a company: of the first
 * company), other the same object of the other company, absent an id that never existed. unreached: a site or policy that
 * no policy of the caller reaches. owner: another CREATOR of the company; staff: an ADMIN who belongs to the company; admin:
 * another ADMIN of the platform. For sessions, self is another session of the caller and asking the current one; own, other
 * and admin are sessions of the users of these names. used: a proxy with a policy; platform: a default proxy; direct: the
 * gateway itself. shared: an address that both companies have. unstaffed: a third company without an ADMIN. After a plus:
 * the field in the body and the owner of its object; a list also contains one allowed object.
 *
 * 401: not signed in. 403: forbidden for the role. 404: absent, of another company, or hidden from a USER. A star: the
 * expected error code is named at the end of the line; without a star it is the usual code of the status.
 */
const table = `
# Public calls
                             anon    dead    gate    | bare    USER    CREATOR both    ADMIN   | USER2   CREATOR2
GET /health
  -                          200     200     200     | 200     200     200     200     200     | 200     200
POST /auth/login
  -                          200     200     200     | 200     200     200     200     200     | 200     200
POST /auth/registration
  -                          201     201     201     | 201     201     201     201     201     | 201     201
GET /auth/registration
  -                          200     200     200     | 200     200     200     200     200     | 200     200
POST /auth/register
  + email known              204     204     204     | 204     204     204     204     204     | 204     204
  + email unknown            204     204     204     | 204     204     204     204     204     | 204     204
  + password live            204     204     204     | 204     204     204     204     204     | 204     204
  + password dead            400*    400*    400*    | 400*    400*    400*    400*    400*    | 400*    400*     link_dead
  + token live               204     204     204     | 204     204     204     204     204     | 204     204
  + token dead               400*    400*    400*    | 400*    400*    400*    400*    400*    | 400*    400*     link_dead
POST /auth/pair
  + code live                200     200     200     | 200     200     200     200     200     | 200     200
  + code dead                400*    400*    400*    | 400*    400*    400*    400*    400*    | 400*    400*     link_dead
GET /echo
  -                          200     200     200     | 200     200     200     200     200     | 200     200
POST /lock
  + lock live                200     200     200     | 200     200     200     200     200     | 200     200
  + lock dead                400*    400*    400*    | 400*    400*    400*    400*    400*    | 400*    400*     lock_link_dead

# Calls of every signed-in user, with or without roles
                             anon    dead    gate    | bare    USER    CREATOR both    ADMIN   | USER2   CREATOR2
POST /auth/register
  + change                   401     401     401     | 204     204     204     204     204     | 204     204
DELETE /auth/logout
  -                          401     401     401     | 204     204     204     204     204     | 204     204
GET /me
  -                          401     401     401     | 200     200     200     200     200     | 200     200
PUT /me/password
  -                          401     401     401     | 204     204     204     204     204     | 204     204
GET /me/sessions
  -                          401     401     401     | 200     200     200     200     200     | 200     200
DELETE /me/sessions
  -                          401     401     401     | 204     204     204     204     204     | 204     204
DELETE /me/sessions/:id
  self                       401     401     401     | 204     204     204     204     204     | 204     204
  asking                     401     401     401     | 204     204     204     204     204     | 204     204
  own                        401     401     401     | 404     404     404     404     404     | 404     404
  other                      401     401     401     | 404     404     404     404     404     | 404     404
  admin                      401     401     401     | 404     404     404     404     404     | 404     404
  absent                     401     401     401     | 404     404     404     404     404     | 404     404
GET /me/access
  -                          401     401     401     | 403     200     200     200     409*    | 200     200      no_company
GET /me/why
  -                          401     401     401     | 403     200     200     200     409*    | 200     200      no_company
POST /auth/pairing
  -                          401     401     401     | 403     200     200     200     200     | 200     200

# Users
                             anon    dead    gate    | bare    USER    CREATOR both    ADMIN   | USER2   CREATOR2
POST /users/user-inner
  -                          401     401     401     | 403     403     201     201     403     | 403     201
  + politics own             401     401     401     | 403     403     201     201     403     | 403     201
  + politics other           401     401     401     | 403     403     400     400     403     | 403     400
  + politics absent          401     401     401     | 403     403     400     400     403     | 403     400
GET /users
  -                          401     401     401     | 403     403     403     403     200     | 403     403
GET /users/company
  -                          401     401     401     | 403     403     200     200     403     | 403     200
GET /users/company-all
  -                          401     401     401     | 403     403     200     200     403     | 403     200
GET /users/:id
  own                        401     401     401     | 403     403     200     200     200     | 403     200
  self                       401     401     401     | 403     403     200     200     200     | 403     200
  owner                      401     401     401     | 403     403     200     200     200     | 403     200
  staff                      401     401     401     | 403     403     200     200     200     | 403     200
  other                      401     401     401     | 403     403     404     404     200     | 403     404
  other owner                401     401     401     | 403     403     404     404     200     | 403     404
  admin                      401     401     401     | 403     403     404     404     200     | 403     404
  absent                     401     401     401     | 403     403     404     404     404     | 403     404
PUT /users/:id
  own                        401     401     401     | 403     403     200     200     200     | 403     200
  own + email                401     401     401     | 403     403     200     200     200     | 403     200
  own + password             401     401     401     | 403     403     200     200     200     | 403     200
  own + politics own         401     401     401     | 403     403     200     200     200     | 403     200
  own + politics other       401     401     401     | 403     403     400     400     400     | 403     400
  own + politics absent      401     401     401     | 403     403     400     400     400     | 403     400
  self                       401     401     401     | 403     403     200     200     200     | 403     200
  self + email               401     401     401     | 403     403     403*    403*    403*    | 403     403*     protected_user
  self + password            401     401     401     | 403     403     403*    403*    403*    | 403     403*     protected_user
  owner                      401     401     401     | 403     403     200     200     200     | 403     200
  owner + email              401     401     401     | 403     403     403*    403*    200     | 403     403*     protected_user
  owner + password           401     401     401     | 403     403     403*    403*    403*    | 403     403*     protected_user
  staff                      401     401     401     | 403     403     200     200     200     | 403     200
  staff + email              401     401     401     | 403     403     403*    403*    200     | 403     403*     protected_user
  staff + password           401     401     401     | 403     403     403*    403*    403*    | 403     403*     protected_user
  staff + politics own       401     401     401     | 403     403     200     200     200     | 403     200
  other                      401     401     401     | 403     403     404     404     200     | 403     404
  other + email              401     401     401     | 403     403     404     404     200     | 403     404
  other + password           401     401     401     | 403     403     404     404     200     | 403     404
  other + politics other     401     401     401     | 403     403     404     404     200     | 403     404
  other + politics own       401     401     401     | 403     403     404     404     400     | 403     404
  other + politics absent    401     401     401     | 403     403     404     404     400     | 403     404
  other owner                401     401     401     | 403     403     404     404     200     | 403     404
  other owner + email        401     401     401     | 403     403     404     404     200     | 403     404
  other owner + password     401     401     401     | 403     403     404     404     403*    | 403     404      protected_user
  admin                      401     401     401     | 403     403     404     404     200     | 403     404
  admin + email              401     401     401     | 403     403     404     404     200     | 403     404
  admin + password           401     401     401     | 403     403     404     404     403*    | 403     404      protected_user
  admin + politics own       401     401     401     | 403     403     404     404     409*    | 403     404      no_company
  absent                     401     401     401     | 403     403     404     404     404     | 403     404
  absent + password          401     401     401     | 403     403     404     404     404     | 403     404
  absent + politics own      401     401     401     | 403     403     404     404     404     | 403     404
DELETE /users/:id
  own                        401     401     401     | 403     403     204     204     204     | 403     204
  self                       401     401     401     | 403     403     403*    403*    403*    | 403     403*     own_account
  owner                      401     401     401     | 403     403     403*    403*    403*    | 403     403*     protected_user
  staff                      401     401     401     | 403     403     403*    403*    403*    | 403     403*     protected_user
  other                      401     401     401     | 403     403     404     404     204     | 403     404
  other owner                401     401     401     | 403     403     404     404     403*    | 403     404      protected_user
  admin                      401     401     401     | 403     403     404     404     403*    | 403     404      protected_user
  absent                     401     401     401     | 403     403     404     404     404     | 403     404

# Companies
                             anon    dead    gate    | bare    USER    CREATOR both    ADMIN   | USER2   CREATOR2
POST /company
  -                          401     401     401     | 403     403     403     403     201     | 403     403
GET /company
  -                          401     401     401     | 403     403     403     403     200     | 403     403
GET /mail/stuck
  -                          401     401     401     | 403     403     403     403     200     | 403     403
GET /company/me-company
  -                          401     401     401     | 403     403     200     200     403     | 403     200
PUT /company/me-company
  -                          401     401     401     | 403     403     200     200     403     | 403     200
GET /company/:id
  own                        401     401     401     | 403     403     200     200     200     | 403     200
  other                      401     401     401     | 403     403     404     404     200     | 403     404
  unstaffed                  401     401     401     | 403     403     404     404     200     | 403     404
  absent                     401     401     401     | 403     403     404     404     404     | 403     404
PUT /company/:id
  own                        401     401     401     | 403     403     200     200     200     | 403     200
  other                      401     401     401     | 403     403     404     404     200     | 403     404
  unstaffed                  401     401     401     | 403     403     404     404     200     | 403     404
  absent                     401     401     401     | 403     403     404     404     404     | 403     404
DELETE /company/:id
  own                        401     401     401     | 403     403     403     403     409*    | 403     403      company_of_admin
  other                      401     401     401     | 403     403     403     403     409*    | 403     403      company_of_admin
  unstaffed                  401     401     401     | 403     403     403     403     204     | 403     403
  absent                     401     401     401     | 403     403     403     403     404     | 403     403
POST /company/invitation
  -                          401     401     401     | 403     403     403     403     200     | 403     403
POST /company/me-company/confirmation
  -                          401     401     401     | 403     403     409*    409*    403     | 403     409*     already_confirmed
POST /company/:id/confirmation
  own                        401     401     401     | 403     403     403     403     409*    | 403     403      already_confirmed
  other                      401     401     401     | 403     403     403     403     409*    | 403     403      already_confirmed
  absent                     401     401     401     | 403     403     403     403     404     | 403     403
POST /company/:id/owner
  own                        401     401     401     | 403     403     403     403     201     | 403     403
  other                      401     401     401     | 403     403     403     403     201     | 403     403
  unstaffed                  401     401     401     | 403     403     403     403     201     | 403     403
  absent                     401     401     401     | 403     403     403     403     404     | 403     403
GET /company/evidence
  -                          401     401     401     | 403     403     200     200     403     | 403     200

# Proxies
                             anon    dead    gate    | bare    USER    CREATOR both    ADMIN   | USER2   CREATOR2
POST /proxy
  -                          401     401     401     | 403     403     201     201     201     | 403     201
GET /proxy
  -                          401     401     401     | 403     403     200     200     200     | 403     200
GET /proxy/admin
  -                          401     401     401     | 403     403     403     403     200     | 403     403
GET /proxy/:id
  own                        401     401     401     | 403     403     200     200     200     | 403     200
  used                       401     401     401     | 403     403     200     200     200     | 403     200
  platform                   401     401     401     | 403     403     200     200     200     | 403     200
  direct                     401     401     401     | 403     403     200     200     200     | 403     200
  other                      401     401     401     | 403     403     404     404     200     | 403     404
  absent                     401     401     401     | 403     403     404     404     404     | 403     404
PUT /proxy/:id
  own                        401     401     401     | 403     403     200     200     200     | 403     200
  used                       401     401     401     | 403     403     200     200     200     | 403     200
  platform                   401     401     401     | 403     403     403*    403*    200     | 403     403*     default_proxy
  direct                     401     401     401     | 403     403     403*    403*    403*    | 403     403*     default_proxy/direct_proxy
  other                      401     401     401     | 403     403     404     404     200     | 403     404
  absent                     401     401     401     | 403     403     404     404     404     | 403     404
PUT /proxy/admin/:id
  own                        401     401     401     | 403     403     403     403     200     | 403     403
  other                      401     401     401     | 403     403     403     403     200     | 403     403
  platform                   401     401     401     | 403     403     403     403     200     | 403     403
  own + settings             401     401     401     | 403     403     403     403     200     | 403     403
  platform + settings        401     401     401     | 403     403     403     403     200     | 403     403
  direct + settings          401     401     401     | 403     403     403     403     200     | 403     403
  direct                     401     401     401     | 403     403     403     403     403*    | 403     403      direct_proxy
  absent                     401     401     401     | 403     403     403     403     404     | 403     403
DELETE /proxy/:id
  own                        401     401     401     | 403     403     204     204     204     | 403     204
  used                       401     401     401     | 403     403     409*    409*    409*    | 403     409*     proxy_in_use
  platform                   401     401     401     | 403     403     403*    403*    204     | 403     403*     default_proxy
  direct                     401     401     401     | 403     403     403*    403*    403*    | 403     403*     default_proxy/direct_proxy
  other                      401     401     401     | 403     403     404     404     204     | 403     404
  absent                     401     401     401     | 403     403     404     404     404     | 403     404
POST /proxy/:id/check
  own                        401     401     401     | 403     403     200     200     200     | 403     200
  used                       401     401     401     | 403     403     200     200     200     | 403     200
  platform                   401     401     401     | 403     403     200     200     200     | 403     200
  direct                     401     401     401     | 403     403     200     200     200     | 403     200
  other                      401     401     401     | 403     403     404     404     200     | 403     404
  absent                     401     401     401     | 403     403     404     404     404     | 403     404

# Sites
                             anon    dead    gate    | bare    USER    CREATOR both    ADMIN   | USER2   CREATOR2
POST /domain-allowed
  -                          401     401     401     | 403     403     201     201     403     | 403     201
  + politics own             401     401     401     | 403     403     201     201     403     | 403     201
  + politics other           401     401     401     | 403     403     400     400     403     | 403     400
  + politics absent          401     401     401     | 403     403     400     400     403     | 403     400
POST /domain-allowed/many
  -                          401     401     401     | 403     403     201     201     403     | 403     201
  + politics own             401     401     401     | 403     403     201     201     403     | 403     201
  + politics other           401     401     401     | 403     403     400     400     403     | 403     400
  + politics absent          401     401     401     | 403     403     400     400     403     | 403     400
GET /domain-allowed
  -                          401     401     401     | 403     200     200     200     200     | 200     200
GET /domain-allowed/:id
  own                        401     401     401     | 403     200     200     200     200     | 200     200
  unreached                  401     401     401     | 403     404     200     200     200     | 404     200
  other                      401     401     401     | 403     404     404     404     200     | 404     404
  absent                     401     401     401     | 403     404     404     404     404     | 404     404
PUT /domain-allowed/:id
  own                        401     401     401     | 403     403     200     200     200     | 403     200
  unreached                  401     401     401     | 403     403     200     200     200     | 403     200
  own + politics own         401     401     401     | 403     403     200     200     200     | 403     200
  own + politics other       401     401     401     | 403     403     400     400     400     | 403     400
  own + politics absent      401     401     401     | 403     403     400     400     400     | 403     400
  other                      401     401     401     | 403     403     404     404     200     | 403     404
  other + politics other     401     401     401     | 403     403     404     404     200     | 403     404
  other + politics own       401     401     401     | 403     403     404     404     400     | 403     404
  other + politics absent    401     401     401     | 403     403     404     404     400     | 403     404
  absent                     401     401     401     | 403     403     404     404     404     | 403     404
  absent + politics own      401     401     401     | 403     403     404     404     404     | 403     404
DELETE /domain-allowed/:id
  own                        401     401     401     | 403     403     204     204     204     | 403     204
  unreached                  401     401     401     | 403     403     204     204     204     | 403     204
  other                      401     401     401     | 403     403     404     404     204     | 403     404
  absent                     401     401     401     | 403     403     404     404     404     | 403     404
GET /domain-allowed/:id/why
  own                        401     401     401     | 403     403     200     200     200     | 403     200
  unreached                  401     401     401     | 403     403     200     200     200     | 403     200
  own + user other           401     401     401     | 403     403     404     404     404     | 403     404
  own + user admin           401     401     401     | 403     403     404     404     404     | 403     404
  own + user absent          401     401     401     | 403     403     404     404     404     | 403     404
  other                      401     401     401     | 403     403     404     404     200     | 403     404
  other + user own           401     401     401     | 403     403     404     404     404     | 403     404
  absent                     401     401     401     | 403     403     404     404     404     | 403     404
GET /domain-allowed/:id/lock
  own                        401     401     401     | 403     403     200     200     200     | 403     200
  unreached                  401     401     401     | 403     403     200     200     200     | 403     200
  other                      401     401     401     | 403     403     404     404     200     | 403     404
  absent                     401     401     401     | 403     403     404     404     404     | 403     404
POST /domain-allowed/:id/lock/learn
  own                        401     401     401     | 403     403     200     200     200     | 403     200
  unreached                  401     401     401     | 403     403     200     200     200     | 403     200
  other                      401     401     401     | 403     403     404     404     200     | 403     404
  absent                     401     401     401     | 403     403     404     404     404     | 403     404
POST /domain-allowed/:id/lock/link
  own                        401     401     401     | 403     403     200     200     200     | 403     200
  unreached                  401     401     401     | 403     403     200     200     200     | 403     200
  other                      401     401     401     | 403     403     404     404     200     | 403     404
  absent                     401     401     401     | 403     403     404     404     404     | 403     404
POST /domain-allowed/:id/check
  own                        401     401     401     | 403     403     202     202     202     | 403     202
  unreached                  401     401     401     | 403     403     202     202     202     | 403     202
  other                      401     401     401     | 403     403     404     404     202     | 403     404
  absent                     401     401     401     | 403     403     404     404     404     | 403     404
GET /domain-allowed/:id/check
  own                        401     401     401     | 403     403     200     200     200     | 403     200
  unreached                  401     401     401     | 403     403     200     200     200     | 403     200
  other                      401     401     401     | 403     403     404     404     200     | 403     404
  absent                     401     401     401     | 403     403     404     404     404     | 403     404
DELETE /domain-allowed/address/:address
  own                        401     401     401     | 403     403     204     204     403     | 403     204
  shared                     401     401     401     | 403     403     204     204     403     | 403     204
  other                      401     401     401     | 403     403     404     404     403     | 403     404
  absent                     401     401     401     | 403     403     404     404     403     | 403     404

# Policies
                             anon    dead    gate    | bare    USER    CREATOR both    ADMIN   | USER2   CREATOR2
POST /politics
  -                          401     401     401     | 403     403     201     201     403     | 403     201
  + proxyId own              401     401     401     | 403     403     201     201     403     | 403     201
  + proxyId platform         401     401     401     | 403     403     201     201     403     | 403     201
  + users own                401     401     401     | 403     403     201     201     403     | 403     201
  + proxyId other            401     401     401     | 403     403     400     400     403     | 403     400
  + proxyId absent           401     401     401     | 403     403     400     400     403     | 403     400
  + users other              401     401     401     | 403     403     400     400     403     | 403     400
  + users absent             401     401     401     | 403     403     400     400     403     | 403     400
  + users admin              401     401     401     | 403     403     400     400     403     | 403     400
GET /politics
  -                          401     401     401     | 403     200     200     200     200     | 200     200
GET /politics/:id
  own                        401     401     401     | 403     200     200     200     200     | 200     200
  unreached                  401     401     401     | 403     404     200     200     200     | 404     200
  other                      401     401     401     | 403     404     404     404     200     | 404     404
  absent                     401     401     401     | 403     404     404     404     404     | 404     404
PUT /politics/:id
  own                        401     401     401     | 403     403     200     200     200     | 403     200
  unreached                  401     401     401     | 403     403     200     200     200     | 403     200
  own + proxyId own          401     401     401     | 403     403     200     200     200     | 403     200
  own + proxyId platform     401     401     401     | 403     403     200     200     200     | 403     200
  own + users own            401     401     401     | 403     403     200     200     200     | 403     200
  own + proxyId other        401     401     401     | 403     403     400     400     400     | 403     400
  own + proxyId absent       401     401     401     | 403     403     400     400     400     | 403     400
  own + users other          401     401     401     | 403     403     400     400     400     | 403     400
  own + users absent         401     401     401     | 403     403     400     400     400     | 403     400
  own + users admin          401     401     401     | 403     403     400     400     400     | 403     400
  other                      401     401     401     | 403     403     404     404     200     | 403     404
  other + proxyId other      401     401     401     | 403     403     404     404     200     | 403     404
  other + users other        401     401     401     | 403     403     404     404     200     | 403     404
  other + proxyId own        401     401     401     | 403     403     404     404     400     | 403     404
  other + proxyId absent     401     401     401     | 403     403     404     404     400     | 403     404
  other + users own          401     401     401     | 403     403     404     404     400     | 403     404
  other + users absent       401     401     401     | 403     403     404     404     400     | 403     404
  absent                     401     401     401     | 403     403     404     404     404     | 403     404
  absent + proxyId own       401     401     401     | 403     403     404     404     404     | 403     404
  absent + users own         401     401     401     | 403     403     404     404     404     | 403     404
DELETE /politics/:id
  own                        401     401     401     | 403     403     204     204     204     | 403     204
  unreached                  401     401     401     | 403     403     204     204     204     | 403     204
  other                      401     401     401     | 403     403     404     404     204     | 403     404
  absent                     401     401     401     | 403     403     404     404     404     | 403     404

# The audit
                             anon    dead    gate    | bare    USER    CREATOR both    ADMIN   | USER2   CREATOR2
GET /audit
  -                          401     401     401     | 403     403     200     200     200     | 403     200
  + of company               401     401     401     | 403     403     200     200     409*    | 403     200      no_company
  + of platform              401     401     401     | 403     403     403     403     200     | 403     403

# Gateways
                             anon    dead    gate    | bare    USER    CREATOR both    ADMIN   | USER2   CREATOR2
GET /feed
  -                          401     401     200     | 401     401     401     401     401     | 401     401
`;

/** The table as rows. */
export const rows: readonly Row[] = parse(table + lossTable + factorTable + roleTable + vantageTable);

function parse(text: string): Row[] {
  const parsed: Row[] = [];
  let call = '';
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#') || line.trim().startsWith('anon')) continue;
    if (!line.startsWith(' ')) call = line;
    else parsed.push(parseRow(call, line));
  }
  return parsed;
}

function parseRow(call: string, line: string): Row {
  const [, text, cells, code] = /^ {2}(\S+(?: \S+)*) {2,}([\d*| ]+?) *([a-z_/]*)$/.exec(line) ?? [];
  const statuses = cells?.split(/[| ]+/) ?? [];
  if (text === undefined || statuses.length !== callers.length) throw new Error(`not a row: ${line}`);
  const expected = callers.map((caller, place) => {
    const cell = statuses[place] ?? '';
    const codes = cell.endsWith('*') ? code?.split('/') : undefined;
    return [caller, { status: Number.parseInt(cell, 10), codes }];
  });
  return { call, target: parseTarget(text), expected: Object.fromEntries(expected) as Row['expected'] };
}

/** Parses a target such as `own + politics other`: the object in the path, then the field and object in the body. */
export function parseTarget(text: string): Target {
  const [path = '', body = ''] = text.split(/ ?\+ /);
  const [field, which] = body === '' ? [] : body.split(' ');
  return { text, path: path === '' ? '-' : path, field, which };
}

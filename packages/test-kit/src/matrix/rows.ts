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
 * gateway itself; paid: a paid proxy of the company. shared: an address that both companies have. unstaffed: a third company without an ADMIN. After a plus:
 * the field in the body and the owner of its object; a list also contains one allowed object. Calls above each other share the
 * lines below them; a line names all targets of one result. After `role`: the role in the body.
 *
 * invited: an agent who has not accepted an invitation.
 *
 * CREATOR and CREATOR2 have an unconfirmed second factor; both, ADMIN and the other ADMIN have a confirmed one, and so has
 * enrolled, an agent. Every caller sends the right password, and a code when they have a second factor. No company requires
 * it. A vantage without a company is the platform's. The statuses of a loss follow those of DELETE.
 *
 * 401: not signed in. 403: forbidden for the role. 404: absent, of another company, or hidden from a USER. A star: the
 * expected error code is named at the end of the line; without a star it is the usual code of the status.
 */
const table = `
# Public calls
                                                anon    dead    gate    | bare    USER    CREATOR both    ADMIN   | USER2   CREATOR2
GET /health
GET /extension
POST /auth/login
GET /auth/registration
GET /echo
  -                                             200     200     200     | 200     200     200     200     200     | 200     200
POST /auth/registration
  -                                             201     201     201     | 201     201     201     201     201     | 201     201
POST /auth/register
  + email known/unknown, + password live        204     204     204     | 204     204     204     204     204     | 204     204
  + password dead, + token dead                 400*    400*    400*    | 400*    400*    400*    400*    400*    | 400*    400*  link_dead
  + token live                                  204     204     204     | 204     204     204     204     204     | 204     204
POST /auth/link
  + password live                               200     200     200     | 200     200     200     200     200     | 200     200
  + password dead                               400*    400*    400*    | 400*    400*    400*    400*    400*    | 400*    400*  link_dead
POST /auth/invitation
  + invitation live                             200     200     200     | 200     200     200     200     200     | 200     200
  + invitation dead                             400*    400*    400*    | 400*    400*    400*    400*    400*    | 400*    400*  invitation_dead
POST /auth/pair
  + code live                                   200     200     200     | 200     200     200     200     200     | 200     200
  + code dead                                   400*    400*    400*    | 400*    400*    400*    400*    400*    | 400*    400*  link_dead
POST /lock
  + lock live                                   200     200     200     | 200     200     200     200     200     | 200     200
  + lock dead                                   400*    400*    400*    | 400*    400*    400*    400*    400*    | 400*    400*  lock_link_dead

# Calls of every signed-in user, with or without roles
                                                anon    dead    gate    | bare    USER    CREATOR both    ADMIN   | USER2   CREATOR2
POST /auth/register
  + change                                      401     401     401     | 204     204     204     204     204     | 204     204
DELETE /auth/logout
PUT /me/password
DELETE /me/sessions
  -                                             401     401     401     | 204     204     204     204     204     | 204     204
GET /me
GET /me/sessions
GET /me/second-factor
  -                                             401     401     401     | 200     200     200     200     200     | 200     200
DELETE /me/sessions/:id
  self, asking                                  401     401     401     | 204     204     204     204     204     | 204     204
  own, other, admin, absent                     401     401     401     | 404     404     404     404     404     | 404     404
GET /me/access
GET /me/why
  -                                             401     401     401     | 403     200     200     200     409*    | 200     200   no_company
POST /auth/pairing
  -                                             401     401     401     | 403     200     200     200     200     | 200     200
POST /me/second-factor
  -                                             401     401     401     | 200     200     200     409*    409*    | 200     200   second_factor_on
POST /me/second-factor/confirm
  -                                             401     401     401     | 409*    409*    200     409*    409*    | 409*    200   second_factor_not_begun/second_factor_on
POST /me/second-factor/recovery
  -                                             401     401     401     | 409*    409*    409*    200     200     | 409*    409*  second_factor_off
POST /me/second-factor/off
  -                                             401     401     401     | 409*    409*    409*    204     204     | 409*    409*  second_factor_off

# Users
                                                anon    dead    gate    | bare    USER    CREATOR both    ADMIN   | USER2   CREATOR2
POST /users/user-inner
  -, + politics own                             401     401     401     | 403     403     201     201     403     | 403     201
  + politics other/absent                       401     401     401     | 403     403     400     400     403     | 403     400
POST /users/invitations
POST /users/import
POST /users/import/preview
  -, + politics own                             401     401     401     | 403     403     200     200     403     | 403     200
  + politics other/absent                       401     401     401     | 403     403     400     400     403     | 403     400
POST /users/:id/invitation
  invited                                       401     401     401     | 403     403     200     200     403     | 403     200
  own, owner                                    401     401     401     | 403     403     409*    409*    403     | 403     409*  already_joined
  other, other invited, absent                  401     401     401     | 403     403     404     404     403     | 403     404
GET /users
  -                                             401     401     401     | 403     403     403     403     200     | 403     403
GET /users/company
GET /users/company/ids
GET /users/company-all
  -                                             401     401     401     | 403     403     200     200     403     | 403     200
GET /users/:id
  own, self, owner, staff                       401     401     401     | 403     403     200     200     200     | 403     200
  other, other owner, admin                     401     401     401     | 403     403     404     404     200     | 403     404
  absent                                        401     401     401     | 403     403     404     404     404     | 403     404
PUT /users/:id
  own, self, owner, staff, own + politics own   401     401     401     | 403     403     200     200     200     | 403     200
  own + email/password, staff + politics own    401     401     401     | 403     403     200     200     200     | 403     200
  own + politics other/absent                   401     401     401     | 403     403     400     400     400     | 403     400
  self + email/password, owner + password       401     401     401     | 403     403     403*    403*    403*    | 403     403*  protected_user
  owner + email, staff + email                  401     401     401     | 403     403     403*    403*    200     | 403     403*  protected_user
  staff + password                              401     401     401     | 403     403     403*    403*    403*    | 403     403*  protected_user
  other, other owner, admin, admin + email      401     401     401     | 403     403     404     404     200     | 403     404
  other + email/password, other owner + email   401     401     401     | 403     403     404     404     200     | 403     404
  other + politics other                        401     401     401     | 403     403     404     404     200     | 403     404
  other + politics own/absent                   401     401     401     | 403     403     404     404     400     | 403     404
  other owner + password, admin + password      401     401     401     | 403     403     404     404     403*    | 403     404   protected_user
  admin + politics own                          401     401     401     | 403     403     404     404     409*    | 403     404   no_company
  absent, absent + password                     401     401     401     | 403     403     404     404     404     | 403     404
  absent + politics own                         401     401     401     | 403     403     404     404     404     | 403     404
DELETE /users/:id
  own                                           401     401     401     | 403     403     204     204     204     | 403     204
  self                                          401     401     401     | 403     403     403*    403*    403*    | 403     403*  own_account
  owner, staff                                  401     401     401     | 403     403     403*    403*    403*    | 403     403*  protected_user
  other                                         401     401     401     | 403     403     404     404     204     | 403     404
  other owner, admin                            401     401     401     | 403     403     404     404     403*    | 403     404   protected_user
  absent                                        401     401     401     | 403     403     404     404     404     | 403     404
GET /users/:id/loss
  own                                           401     401     401     | 403     403     200     200     200     | 403     200
  self                                          401     401     401     | 403     403     403*    403*    403*    | 403     403*  own_account
  owner, staff                                  401     401     401     | 403     403     403*    403*    403*    | 403     403*  protected_user
  other                                         401     401     401     | 403     403     404     404     200     | 403     404
  other owner, admin                            401     401     401     | 403     403     404     404     403*    | 403     404   protected_user
  absent                                        401     401     401     | 403     403     404     404     404     | 403     404
POST /users/invitations/again
  + ids invited/own/other/absent/owner/admin    401     401     401     | 403     403     200     200     403     | 403     200
POST /users/extension/remind
  + ids invited/own/other/absent/owner/admin    401     401     401     | 403     403     200     200     403     | 403     200
POST /users/delete
  + ids own                                     401     401     401     | 403     403     204     204     403     | 403     204
  + ids self/owner/staff/other/absent/admin     401     401     401     | 403     403     400     400     403     | 403     400
POST /users/delete/preview
  + ids own                                     401     401     401     | 403     403     200     200     403     | 403     200
  + ids self/owner/staff/other/absent/admin     401     401     401     | 403     403     400     400     403     | 403     400
POST /users/:id/second-factor/off
  own                                           401     401     401     | 403     403     409*    409*    409*    | 403     409*  second_factor_off
  enrolled                                      401     401     401     | 403     403     204     204     204     | 403     204
  self                                          401     401     401     | 403     403     403*    403*    403*    | 403     403*  own_account
  owner, staff                                  401     401     401     | 403     403     403*    403*    409*    | 403     403*  protected_user/second_factor_off
  other, other owner                            401     401     401     | 403     403     404     404     409*    | 403     404   second_factor_off
  other enrolled, admin                         401     401     401     | 403     403     404     404     204     | 403     404
  absent                                        401     401     401     | 403     403     404     404     404     | 403     404
PUT /users/:id/role
  own + role CREATOR, owner + role USER         401     401     401     | 403     403     200     200     200     | 403     200
  self + role USER/CREATOR                      401     401     401     | 403     403     403*    403*    403*    | 403     403*  own_account
  staff + role CREATOR/USER                     401     401     401     | 403     403     403*    403*    403*    | 403     403*  protected_user
  other + role CREATOR                          401     401     401     | 403     403     404     404     200     | 403     404
  other owner + role USER                       401     401     401     | 403     403     404     404     200     | 403     404
  admin + role CREATOR/USER                     401     401     401     | 403     403     404     404     403*    | 403     404   protected_user
  absent + role CREATOR                         401     401     401     | 403     403     404     404     404     | 403     404
PUT /users/:id/suspension
  own, owner                                    401     401     401     | 403     403     200     200     200     | 403     200
  self                                          401     401     401     | 403     403     403*    403*    403*    | 403     403*  own_account
  staff                                         401     401     401     | 403     403     403*    403*    403*    | 403     403*  protected_user
  other, other owner                            401     401     401     | 403     403     404     404     200     | 403     404
  admin                                         401     401     401     | 403     403     404     404     403*    | 403     404   protected_user
  absent                                        401     401     401     | 403     403     404     404     404     | 403     404
POST /users/admin
  -                                             401     401     401     | 403     403     403     403     201     | 403     403
POST /users/:id/admin/off
  own, owner, other, absent                     401     401     401     | 403     403     403     403     404     | 403     403
  self                                          401     401     401     | 403     403     403     403     403*    | 403     403   own_account
  staff, admin                                  401     401     401     | 403     403     403     403     204     | 403     403

# Companies
                                                anon    dead    gate    | bare    USER    CREATOR both    ADMIN   | USER2   CREATOR2
POST /company
  -                                             401     401     401     | 403     403     403     403     201     | 403     403
GET /company
GET /company/invitations
GET /mail/stuck
GET /state
POST /company/invitation
  -                                             401     401     401     | 403     403     403     403     200     | 403     403
DELETE /company/invitations/:id
  platform                                      401     401     401     | 403     403     403     403     204     | 403     403
  absent                                        401     401     401     | 403     403     403     403     404     | 403     403
GET /company/me-company
PUT /company/me-company
GET /company/evidence
GET /company/records
PUT /company/records
  -                                             401     401     401     | 403     403     200     200     403     | 403     200
GET /company/:id
PUT /company/:id
  own                                           401     401     401     | 403     403     200     200     200     | 403     200
  other, unstaffed                              401     401     401     | 403     403     404     404     200     | 403     404
  absent                                        401     401     401     | 403     403     404     404     404     | 403     404
DELETE /company/:id
  own, other                                    401     401     401     | 403     403     403     403     409*    | 403     403   company_of_admin
  unstaffed                                     401     401     401     | 403     403     403     403     204     | 403     403
  absent                                        401     401     401     | 403     403     403     403     404     | 403     403
POST /company/me-company/confirmation
  -                                             401     401     401     | 403     403     409*    409*    403     | 403     409*  already_confirmed
POST /company/:id/confirmation
  own, other                                    401     401     401     | 403     403     403     403     409*    | 403     403   already_confirmed
  absent                                        401     401     401     | 403     403     403     403     404     | 403     403
POST /company/:id/owner
  own, other, unstaffed                         401     401     401     | 403     403     403     403     201     | 403     403
  absent                                        401     401     401     | 403     403     403     403     404     | 403     403
PUT /company/me-company
  + secondFactorRequired                        401     401     401     | 403     403     409*    200     403     | 403     409*  own_factor_first
PUT /company/:id
  own + secondFactorRequired                    401     401     401     | 403     403     409*    200     200     | 403     409*  own_factor_first
  other + secondFactorRequired                  401     401     401     | 403     403     404     404     200     | 403     404
  absent + secondFactorRequired                 401     401     401     | 403     403     404     404     404     | 403     404

# Proxies
                                                anon    dead    gate    | bare    USER    CREATOR both    ADMIN   | USER2   CREATOR2
POST /proxy
  -                                             401     401     401     | 403     403     201     201     201     | 403     201
GET /proxy
  -                                             401     401     401     | 403     403     200     200     200     | 403     200
GET /proxy/admin
  -                                             401     401     401     | 403     403     403     403     200     | 403     403
POST /proxy/admin
  own                                           401     401     401     | 403     403     403     403     201     | 403     403
  absent                                        401     401     401     | 403     403     403     403     404     | 403     403
GET /proxy/:id
POST /proxy/:id/check
  own, used, paid, platform, direct             401     401     401     | 403     403     200     200     200     | 403     200
  other                                         401     401     401     | 403     403     404     404     200     | 403     404
  absent                                        401     401     401     | 403     403     404     404     404     | 403     404
PUT /proxy/:id
  own, used                                     401     401     401     | 403     403     200     200     200     | 403     200
  paid                                          401     401     401     | 403     403     403*    403*    200     | 403     403*  paid_proxy
  platform                                      401     401     401     | 403     403     403*    403*    200     | 403     403*  default_proxy
  direct                                        401     401     401     | 403     403     403*    403*    403*    | 403     403*  default_proxy/direct_proxy
  other                                         401     401     401     | 403     403     404     404     200     | 403     404
  absent                                        401     401     401     | 403     403     404     404     404     | 403     404
PUT /proxy/admin/:id
  own, other, platform, own + settings          401     401     401     | 403     403     403     403     200     | 403     403
  platform + settings, direct + settings        401     401     401     | 403     403     403     403     200     | 403     403
  direct                                        401     401     401     | 403     403     403     403     403*    | 403     403   direct_proxy
  absent                                        401     401     401     | 403     403     403     403     404     | 403     403
DELETE /proxy/:id
  own                                           401     401     401     | 403     403     204     204     204     | 403     204
  paid                                          401     401     401     | 403     403     403*    403*    204     | 403     403*  paid_proxy
  used                                          401     401     401     | 403     403     409*    409*    409*    | 403     409*  proxy_in_use
  platform                                      401     401     401     | 403     403     403*    403*    204     | 403     403*  default_proxy
  direct                                        401     401     401     | 403     403     403*    403*    403*    | 403     403*  default_proxy/direct_proxy
  other                                         401     401     401     | 403     403     404     404     204     | 403     404
  absent                                        401     401     401     | 403     403     404     404     404     | 403     404

# Plans and tariffs
                                                anon    dead    gate    | bare    USER    CREATOR both    ADMIN   | USER2   CREATOR2
GET /plans
GET /contact
PUT /contact
GET /tariff/requests
  -                                             401     401     401     | 403     403     403     403     200     | 403     403
POST /plans
  -                                             401     401     401     | 403     403     403     403     201     | 403     403
PUT /plans/:id
POST /plans/:id/companies
  platform                                      401     401     401     | 403     403     403     403     200     | 403     403
  absent                                        401     401     401     | 403     403     403     403     404     | 403     403
GET /company/:id/tariff
PUT /company/:id/tariff
  own, other, unstaffed                         401     401     401     | 403     403     403     403     200     | 403     403
  absent                                        401     401     401     | 403     403     403     403     404     | 403     403
GET /tariff
POST /tariff/trial
PUT /tariff/phone
  -                                             401     401     401     | 403     403     200     200     403     | 403     200
POST /tariff/requests
  -                                             401     401     401     | 403     403     201     201     403     | 403     201
DELETE /tariff/requests/:id
  own                                           401     401     401     | 403     403     204     204     403     | 403     204
  other, absent                                 401     401     401     | 403     403     404     404     403     | 403     404
PUT /tariff/requests/:id
  own, other                                    401     401     401     | 403     403     403     403     200     | 403     403
  absent                                        401     401     401     | 403     403     403     403     404     | 403     403

# Sites
                                                anon    dead    gate    | bare    USER    CREATOR both    ADMIN   | USER2   CREATOR2
POST /domain-allowed
POST /domain-allowed/many
  -, + politics own                             401     401     401     | 403     403     201     201     403     | 403     201
  + politics other/absent                       401     401     401     | 403     403     400     400     403     | 403     400
POST /domain-allowed/many/preview
  -, + politics own                             401     401     401     | 403     403     204     204     403     | 403     204
  + politics other/absent                       401     401     401     | 403     403     400     400     403     | 403     400
GET /domain-allowed
  -                                             401     401     401     | 403     200     200     200     200     | 200     200
GET /domain-allowed/ids
GET /politics/ids
  -                                             401     401     401     | 403     403     200     200     403     | 403     200
GET /domain-allowed/:id
  own                                           401     401     401     | 403     200     200     200     200     | 200     200
  unreached                                     401     401     401     | 403     404     200     200     200     | 404     200
  other                                         401     401     401     | 403     404     404     404     200     | 404     404
  absent                                        401     401     401     | 403     404     404     404     404     | 404     404
PUT /domain-allowed/:id
  own, unreached, own + politics own            401     401     401     | 403     403     200     200     200     | 403     200
  own + politics other/absent                   401     401     401     | 403     403     400     400     400     | 403     400
  other, other + politics other                 401     401     401     | 403     403     404     404     200     | 403     404
  other + politics own/absent                   401     401     401     | 403     403     404     404     400     | 403     404
  absent, absent + politics own                 401     401     401     | 403     403     404     404     404     | 403     404
DELETE /domain-allowed/:id
  own, unreached                                401     401     401     | 403     403     204     204     204     | 403     204
  other                                         401     401     401     | 403     403     404     404     204     | 403     404
  absent                                        401     401     401     | 403     403     404     404     404     | 403     404
GET /domain-allowed/:id/why
  own, unreached                                401     401     401     | 403     403     200     200     200     | 403     200
  own + user other/admin/absent, absent         401     401     401     | 403     403     404     404     404     | 403     404
  other                                         401     401     401     | 403     403     404     404     200     | 403     404
  other + user own                              401     401     401     | 403     403     404     404     404     | 403     404
GET /domain-allowed/:id/paths
PUT /domain-allowed/:id/paths
GET /domain-allowed/:id/lock
POST /domain-allowed/:id/lock/learn
POST /domain-allowed/:id/lock/link
GET /domain-allowed/:id/check
GET /domain-allowed/:id/loss
  own, unreached                                401     401     401     | 403     403     200     200     200     | 403     200
  other                                         401     401     401     | 403     403     404     404     200     | 403     404
  absent                                        401     401     401     | 403     403     404     404     404     | 403     404
POST /domain-allowed/:id/check
  own, unreached                                401     401     401     | 403     403     202     202     202     | 403     202
  other                                         401     401     401     | 403     403     404     404     202     | 403     404
  absent                                        401     401     401     | 403     403     404     404     404     | 403     404
POST /domain-allowed/delete
  + ids own/unreached                           401     401     401     | 403     403     204     204     403     | 403     204
  + ids other/absent                            401     401     401     | 403     403     400     400     403     | 403     400
POST /domain-allowed/delete/preview
  + ids own/unreached                           401     401     401     | 403     403     200     200     403     | 403     200
  + ids other/absent                            401     401     401     | 403     403     400     400     403     | 403     400
POST /domain-allowed/probe
  + ids own/unreached/other/absent              401     401     401     | 403     403     202     202     403     | 403     202
DELETE /domain-allowed/address/:address
  own, shared                                   401     401     401     | 403     403     204     204     403     | 403     204
  other, absent                                 401     401     401     | 403     403     404     404     403     | 403     404

# Policies
                                                anon    dead    gate    | bare    USER    CREATOR both    ADMIN   | USER2   CREATOR2
POST /politics
  -, + proxyId own/platform, + users own        401     401     401     | 403     403     201     201     403     | 403     201
  + proxyId other/absent                        401     401     401     | 403     403     400     400     403     | 403     400
  + users other/absent/admin                    401     401     401     | 403     403     400     400     403     | 403     400
GET /politics
  -                                             401     401     401     | 403     200     200     200     200     | 200     200
GET /politics/:id
  own                                           401     401     401     | 403     200     200     200     200     | 200     200
  unreached                                     401     401     401     | 403     404     200     200     200     | 404     200
  other                                         401     401     401     | 403     404     404     404     200     | 404     404
  absent                                        401     401     401     | 403     404     404     404     404     | 404     404
PUT /politics/:id
  own, unreached, own + proxyId own/platform    401     401     401     | 403     403     200     200     200     | 403     200
  own + users own                               401     401     401     | 403     403     200     200     200     | 403     200
  own + proxyId other/absent                    401     401     401     | 403     403     400     400     400     | 403     400
  own + users other/absent, own + users admin   401     401     401     | 403     403     400     400     400     | 403     400
  other, other + proxyId other                  401     401     401     | 403     403     404     404     200     | 403     404
  other + users other                           401     401     401     | 403     403     404     404     200     | 403     404
  other + proxyId own/absent                    401     401     401     | 403     403     404     404     400     | 403     404
  other + users own/absent                      401     401     401     | 403     403     404     404     400     | 403     404
  absent, absent + proxyId own                  401     401     401     | 403     403     404     404     404     | 403     404
  absent + users own                            401     401     401     | 403     403     404     404     404     | 403     404
DELETE /politics/:id
  own, unreached                                401     401     401     | 403     403     204     204     204     | 403     204
  other                                         401     401     401     | 403     403     404     404     204     | 403     404
  absent                                        401     401     401     | 403     403     404     404     404     | 403     404
GET /politics/:id/loss
  own, unreached                                401     401     401     | 403     403     200     200     200     | 403     200
  other                                         401     401     401     | 403     403     404     404     200     | 403     404
  absent                                        401     401     401     | 403     403     404     404     404     | 403     404
POST /politics/delete
  + ids own/unreached                           401     401     401     | 403     403     204     204     403     | 403     204
  + ids other/absent                            401     401     401     | 403     403     400     400     403     | 403     400
POST /politics/delete/preview
  + ids own/unreached                           401     401     401     | 403     403     200     200     403     | 403     200
  + ids other/absent                            401     401     401     | 403     403     400     400     403     | 403     400
POST /politics/:id/members
POST /politics/:id/members/preview
  own + addUsers own, own + addSites unreached  401     401     401     | 403     403     200     200     403     | 403     200
  own + removeSites own, own + addUsers owner   401     401     401     | 403     403     200     200     403     | 403     200
  own + addUsers other/absent/admin             401     401     401     | 403     403     400     400     403     | 403     400
  own + removeUsers other/absent/admin          401     401     401     | 403     403     400     400     403     | 403     400
  own + addSites other/absent                   401     401     401     | 403     403     400     400     403     | 403     400
  own + removeSites other/absent                401     401     401     | 403     403     400     400     403     | 403     400
  other + addUsers own/other                    401     401     401     | 403     403     404     404     403     | 403     404
  absent + addSites own                         401     401     401     | 403     403     404     404     403     | 403     404

# The audit
                                                anon    dead    gate    | bare    USER    CREATOR both    ADMIN   | USER2   CREATOR2
GET /audit
  -                                             401     401     401     | 403     403     200     200     200     | 403     200
  + of company                                  401     401     401     | 403     403     200     200     409*    | 403     200   no_company
  + of platform                                 401     401     401     | 403     403     403     403     200     | 403     403

# Records of access
                                                anon    dead    gate    | bare    USER    CREATOR both    ADMIN   | USER2   CREATOR2
GET /statistics
GET /visits
GET /visits/export
GET /visits/live
  -                                             401     401     401     | 403     403     200     200     403     | 403     200
GET /visits/support
PUT /visits/support
  -                                             401     401     401     | 403     403     200     200     403     | 403     200
GET /company/:id/statistics
  own, other, unstaffed                         401     401     401     | 403     403     403     403     200     | 403     403
  absent                                        401     401     401     | 403     403     403     403     404     | 403     403
GET /company/:id/visits
  own, other, unstaffed                         401     401     401     | 403     403     403     403     403*    | 403     403   support_closed
  absent                                        401     401     401     | 403     403     403     403     404     | 403     403
POST /visits/end
  + user own                                    401     401     401     | 403     403     204     204     403     | 403     204
  + user other/absent                           401     401     401     | 403     403     404     404     403     | 403     404
GET /me/visits
  -                                             401     401     401     | 403     200     200     200     403     | 200     200

# Gateways
                                                anon    dead    gate    | bare    USER    CREATOR both    ADMIN   | USER2   CREATOR2
POST /feed/records
  -                                             401     401     204     | 401     401     401     401     401     | 401     401
GET /feed
  -                                             401     401     200     | 401     401     401     401     401     | 401     401

# Vantages
                                                anon    dead    gate    | bare    USER    CREATOR both    ADMIN   | USER2   CREATOR2
GET /vantages
POST /vantages
  -                                             401     401     401     | 403     403     200     200     200     | 403     200
DELETE /vantages/:id
  own                                           401     401     401     | 403     403     204     204     404     | 403     204
  other, absent                                 401     401     401     | 403     403     404     404     404     | 403     404
  platform                                      401     401     401     | 403     403     404     404     204     | 403     404
POST /vantage/pair
  + code live                                   200     200     200     | 200     200     200     200     200     | 200     200
  + code dead                                   400*    400*    400*    | 400*    400*    400*    400*    400*    | 400*    400*  link_dead
POST /vantage/work
  + signature live                              200     200     200     | 200     200     200     200     200     | 200     200
  + signature dead                              401     401     401     | 401     401     401     401     401     | 401     401
POST /vantage/report
  + signature live                              204     204     204     | 204     204     204     204     204     | 204     204
  + signature dead                              401     401     401     | 401     401     401     401     401     | 401     401
`;

/** The table as rows: one for each call and target. */
export const rows: readonly Row[] = parse(table);

function parse(text: string): Row[] {
  const parsed: Row[] = [];
  let calls: string[] = [];
  let opened = false;
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#') || line.trim().startsWith('anon')) continue;
    if (line.startsWith(' ')) for (const call of calls) parsed.push(...parseLine(call, line));
    else calls = opened ? [...calls, line] : [line];
    opened = !line.startsWith(' ');
  }
  return parsed;
}

function parseLine(call: string, line: string): Row[] {
  const [, text, cells, code] = /^ {2}(\S+(?: \S+)*) {2,}([\d*| ]+?) *([a-z_/]*)$/.exec(line) ?? [];
  const statuses = cells?.split(/[| ]+/) ?? [];
  if (text === undefined || statuses.length !== callers.length) throw new Error(`not a row: ${line}`);
  const expected = callers.map((caller, place) => {
    const cell = statuses[place] ?? '';
    const codes = cell.endsWith('*') ? code?.split('/') : undefined;
    return [caller, { status: Number.parseInt(cell, 10), codes }];
  });
  return targetsOf(text).map((target) => ({
    call,
    target: parseTarget(target),
    expected: Object.fromEntries(expected) as Row['expected'],
  }));
}

/** The targets of a line: `own, other` are two, and `own + users other/absent` are two. */
function targetsOf(text: string): string[] {
  return text.split(', ').flatMap((target) => {
    const [, start, words] = /^(.*\+.* )(.*)$/.exec(target) ?? [];
    return words === undefined ? [target] : words.split('/').map((word) => `${start}${word}`);
  });
}

/** Parses a target such as `own + politics other`: the object in the path, then the field and object in the body. */
export function parseTarget(text: string): Target {
  const [path = '', body = ''] = text.split(/ ?\+ /);
  const [field, which] = body === '' ? [] : body.split(' ');
  return { text, path: path === '' ? '-' : path, field, which };
}

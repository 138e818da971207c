/**
 * The matrix of the second factor (`rows.ts` explains how to read it). CREATOR and CREATOR2 have an unconfirmed second factor;
 * both, ADMIN and the other ADMIN have a confirmed one. enrolled is an agent with a confirmed one. No company requires it.
 */
export const factorTable = `
# The own second factor
                             anon    dead    gate    | bare    USER    CREATOR both    ADMIN   | USER2   CREATOR2
GET /me/second-factor
  -                          401     401     401     | 200     200     200     200     200     | 200     200
POST /me/second-factor
  -                          401     401     401     | 200     200     200     409*    409*    | 200     200      second_factor_on
POST /me/second-factor/confirm
  -                          401     401     401     | 409*    409*    200     409*    409*    | 409*    200      second_factor_not_begun/second_factor_on
POST /me/second-factor/recovery
  -                          401     401     401     | 409*    409*    409*    200     200     | 409*    409*     second_factor_off
POST /me/second-factor/off
  -                          401     401     401     | 409*    409*    409*    204     204     | 409*    409*     second_factor_off

# The second factor of another user
                             anon    dead    gate    | bare    USER    CREATOR both    ADMIN   | USER2   CREATOR2
POST /users/:id/second-factor/off
  own                        401     401     401     | 403     403     409*    409*    409*    | 403     409*     second_factor_off
  enrolled                   401     401     401     | 403     403     204     204     204     | 403     204
  self                       401     401     401     | 403     403     403*    403*    403*    | 403     403*     own_account
  owner                      401     401     401     | 403     403     403*    403*    409*    | 403     403*     protected_user/second_factor_off
  staff                      401     401     401     | 403     403     403*    403*    409*    | 403     403*     protected_user/second_factor_off
  other                      401     401     401     | 403     403     404     404     409*    | 403     404      second_factor_off
  other enrolled             401     401     401     | 403     403     404     404     204     | 403     404
  other owner                401     401     401     | 403     403     404     404     409*    | 403     404      second_factor_off
  admin                      401     401     401     | 403     403     404     404     204     | 403     404
  absent                     401     401     401     | 403     403     404     404     404     | 403     404

# The requirement of a company
                             anon    dead    gate    | bare    USER    CREATOR both    ADMIN   | USER2   CREATOR2
PUT /company/me-company
  + secondFactorRequired     401     401     401     | 403     403     409*    200     403     | 403     409*     own_factor_first
PUT /company/:id
  own + secondFactorRequired     401     401     401     | 403     403     409*    200     200     | 403     409*     own_factor_first
  other + secondFactorRequired   401     401     401     | 403     403     404     404     200     | 403     404
  absent + secondFactorRequired  401     401     401     | 403     403     404     404     404     | 403     404
`;

/**
 * The matrix of the calls that change roles (`rows.ts` explains how to read it). `role` is followed by the role in the body.
 * Every caller sends the right password, and a code when they have a second factor.
 */
export const roleTable = `
# Owners
                             anon    dead    gate    | bare    USER    CREATOR both    ADMIN   | USER2   CREATOR2
PUT /users/:id/role
  own + role CREATOR         401     401     401     | 403     403     200     200     200     | 403     200
  owner + role USER          401     401     401     | 403     403     200     200     200     | 403     200
  self + role USER           401     401     401     | 403     403     403*    403*    403*    | 403     403*     own_account
  self + role CREATOR        401     401     401     | 403     403     403*    403*    403*    | 403     403*     own_account
  staff + role CREATOR       401     401     401     | 403     403     403*    403*    403*    | 403     403*     protected_user
  staff + role USER          401     401     401     | 403     403     403*    403*    403*    | 403     403*     protected_user
  other + role CREATOR       401     401     401     | 403     403     404     404     200     | 403     404
  other owner + role USER    401     401     401     | 403     403     404     404     200     | 403     404
  admin + role CREATOR       401     401     401     | 403     403     404     404     403*    | 403     404      protected_user
  admin + role USER          401     401     401     | 403     403     404     404     403*    | 403     404      protected_user
  absent + role CREATOR      401     401     401     | 403     403     404     404     404     | 403     404

# Admins
                             anon    dead    gate    | bare    USER    CREATOR both    ADMIN   | USER2   CREATOR2
POST /users/admin
  -                          401     401     401     | 403     403     403     403     201     | 403     403
POST /users/:id/admin/off
  own                        401     401     401     | 403     403     403     403     404     | 403     403
  owner                      401     401     401     | 403     403     403     403     404     | 403     403
  self                       401     401     401     | 403     403     403     403     403*    | 403     403      own_account
  staff                      401     401     401     | 403     403     403     403     204     | 403     403
  other                      401     401     401     | 403     403     403     403     404     | 403     403
  admin                      401     401     401     | 403     403     403     403     204     | 403     403
  absent                     401     401     401     | 403     403     403     403     404     | 403     403
`;

/** The rows of the matrix for the access lost by a deletion (`rows.ts` describes the format). The statuses follow those of DELETE. */
export const lossTable = `
# The loss by a deletion
                             anon    dead    gate    | bare    USER    CREATOR both    ADMIN   | USER2   CREATOR2
GET /users/:id/loss
  own                        401     401     401     | 403     403     200     200     200     | 403     200
  self                       401     401     401     | 403     403     403*    403*    403*    | 403     403*     own_account
  owner                      401     401     401     | 403     403     403*    403*    403*    | 403     403*     protected_user
  staff                      401     401     401     | 403     403     403*    403*    403*    | 403     403*     protected_user
  other                      401     401     401     | 403     403     404     404     200     | 403     404
  other owner                401     401     401     | 403     403     404     404     403*    | 403     404      protected_user
  admin                      401     401     401     | 403     403     404     404     403*    | 403     404      protected_user
  absent                     401     401     401     | 403     403     404     404     404     | 403     404
GET /domain-allowed/:id/loss
  own                        401     401     401     | 403     403     200     200     200     | 403     200
  unreached                  401     401     401     | 403     403     200     200     200     | 403     200
  other                      401     401     401     | 403     403     404     404     200     | 403     404
  absent                     401     401     401     | 403     403     404     404     404     | 403     404
GET /politics/:id/loss
  own                        401     401     401     | 403     403     200     200     200     | 403     200
  unreached                  401     401     401     | 403     403     200     200     200     | 403     200
  other                      401     401     401     | 403     403     404     404     200     | 403     404
  absent                     401     401     401     | 403     403     404     404     404     | 403     404
`;

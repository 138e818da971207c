/** The rows of the matrix for vantages (`rows.ts` describes the format). A vantage without a company is the platform's. */
export const vantageTable = `
# Vantages
                             anon    dead    gate    | bare    USER    CREATOR both    ADMIN   | USER2   CREATOR2
GET /vantages
  -                          401     401     401     | 403     403     200     200     200     | 403     200
POST /vantages
  -                          401     401     401     | 403     403     200     200     200     | 403     200
DELETE /vantages/:id
  own                        401     401     401     | 403     403     204     204     404     | 403     204
  other                      401     401     401     | 403     403     404     404     404     | 403     404
  platform                   401     401     401     | 403     403     404     404     204     | 403     404
  absent                     401     401     401     | 403     403     404     404     404     | 403     404
POST /vantage/pair
  + code live                200     200     200     | 200     200     200     200     200     | 200     200
  + code dead                400*    400*    400*    | 400*    400*    400*    400*    400*    | 400*    400*     link_dead
POST /vantage/work
  + signature live           200     200     200     | 200     200     200     200     200     | 200     200
  + signature dead           401     401     401     | 401     401     401     401     401     | 401     401
POST /vantage/report
  + signature live           204     204     204     | 204     204     204     204     204     | 204     204
  + signature dead           401     401     401     | 401     401     401     401     401     | 401     401
`;

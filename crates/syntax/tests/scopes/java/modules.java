@Deprecated                                                      //: Deprecated:outside
module org.example.app {                                         //: org:outside example:outside app:outside
    requires transitive java.sql;                                //: java:outside sql:outside
    exports org.example.api to org.example.user;                 //: org:outside example:outside api:outside org:outside example:outside user:outside
    uses org.example.api.Service;                                //: org:outside example:outside api:outside Service:outside
    provides org.example.api.Service with org.example.app.Main;  //: org:outside example:outside api:outside Service:outside org:outside example:outside app:outside Main:outside
}

<h1>{{TITLE}}</h1>
<p>{{TEXT}}</p>
{{#HAS_NEXT}}<p>{{NEXT}}</p>
{{/HAS_NEXT}}
{{#HAS_LINK}}<p><a class="button primary" href="{{LINK}}">{{LINK_NAME}}</a></p>
{{/HAS_LINK}}
{{#HAS_DETAIL}}<p class="detail"><span class="meta">{{_}}For developers of the application:{{/_}}</span> <code>{{DETAIL}}</code></p>
{{/HAS_DETAIL}}
{{#HAS_REQUEST_ID}}<p class="meta">{{_}}Request <code>{{REQUEST_ID}}</code>{{/_}}</p>
{{/HAS_REQUEST_ID}}

<h1>Applications of <bdi>{{ACCOUNT}}</bdi></h1>
{{#DONE_DELETED}}<p class="notice" role="status">The application is deleted. It no longer has access to anything.</p>
{{/DONE_DELETED}}{{#EMPTY}}<p class="empty">There is no application yet. Register one to let a program work with the API on behalf of the users who allow it.</p>
{{/EMPTY}}<p><a class="button primary" href="{{NEW}}">New application</a></p>
{{#FULL}}<ul class="list">
{{/FULL}}{{#APPLICATION}}<li><h2><a href="{{PATH}}"><bdi>{{NAME}}</bdi></a></h2>
{{#DESCRIBED}}<p><bdi class="clamp">{{DESCRIPTION}}</bdi></p>
{{/DESCRIBED}}<p class="meta">Sends users to <bdi>{{HOST}}</bdi> · registered <time datetime="{{CREATED_EXACT}}" title="{{CREATED_FULL}}">{{CREATED}}</time></p></li>
{{/APPLICATION}}{{#FULL}}</ul>
{{/FULL}}<p class="meta"><a href="{{@DEVELOPERS}}/oauth">How applications get tokens and use the API</a>. To upload, find and edit <a href="{{MEDIA}}">media of this account</a>, no application is needed.</p>


<h1>{{_}}Back to <bdi>{{HOST}}</bdi>{{/_}}</h1>
<p>{{_}}Your answer is ready. It is sent there when you continue.{{/_}}</p>
<form method="post" action="{{REDIRECT_URI}}" accept-charset="utf-8" id="send">
{{#FIELD}}<input type="hidden" name="{{NAME}}" value="{{VALUE}}">
{{/FIELD}}<p class="answers"><button class="primary">{{_}}Continue{{/_}}</button></p>
</form>
